// Where something comes from: the very words, and the way to the conversation.
import type { Schemas } from "../api/client";
import { to } from "../router";
import { When } from "./time";

type Source = Schemas["SourceOut"] | Schemas["NoteOut"] | Schemas["PersonOut"];

export function Sources({ mind, of }: { mind: string; of: readonly Source[] }) {
  return <ul class="sources">{of.map((one, at) => <li key={at}><OneSource mind={mind} of={one} /></li>)}</ul>;
}

function OneSource({ mind, of }: { mind: string; of: Source }) {
  if ("correction_id" in of) return <><When at={of.timestamp} as="moment" />, {of.by}: “{of.excerpt}”</>;
  if ("path" in of) return <><a href={to(mind, "journal", of.path)}>{of.path}:{of.start_line}</a>: “{of.excerpt}”</>;
  return (
    <>
      <a href={to(mind, "replay", of.session_id, { turn: of.turn_id })}><When at={of.timestamp} as="moment" /></a>: “
      {of.excerpt}”
    </>
  );
}
