// Where something comes from: the very words, and the way to the conversation.
import type { Schemas } from "../api/client";
import { to } from "../router";
import { When } from "./time";

type Source = Schemas["SourceOut"] | Schemas["NoteOut"] | Schemas["PersonOut"];

interface SourcesProps {
  mind: string;
  of: readonly Source[];
  /** The words above: a source that says the same is named and not quoted again. */
  said?: string;
}

export function Sources({ mind, of, said = "" }: SourcesProps) {
  return <ul class="sources">{of.map((one, at) => <li key={at}><OneSource mind={mind} of={one} said={said} /></li>)}</ul>;
}

const quoted = (text: string): string => (/[“”]/.test(text) ? text : `“${text}”`);

function OneSource({ mind, of, said }: { mind: string; of: Source; said: string }) {
  if ("correction_id" in of) return <><When at={of.timestamp} as="moment" />, {of.by}: {quoted(of.excerpt)}</>;
  if ("path" in of) return <><a href={to(mind, "journal", of.path)}>{of.path}:{of.start_line}</a>: {quoted(of.excerpt)}</>;
  const words = of.excerpt.trim() === said.trim() ? "" : `: ${quoted(of.excerpt)}`;
  return <><a href={to(mind, "replay", of.session_id, { turn: of.turn_id })}><When at={of.timestamp} as="moment" /></a>{words}</>;
}
