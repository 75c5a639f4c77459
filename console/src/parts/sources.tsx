// Where something comes from: the very words, and the way to the conversation.
import type { Schemas } from "../api/client";
import { to } from "../router";
import { By } from "./correct";
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

/** The mind and the id there of a memory; one of another mind is called "rike/fact:1". */
export function mindOf(mind: string, id: string): { mind: string; id: string; isOther: boolean } {
  const [, other, rest] = /^([^/:]+)\/(.+)$/s.exec(id) ?? [];
  return { mind: other ?? mind, id: rest ?? id, isOther: other !== undefined };
}

/** Says that a memory is of another mind, which is one click away. */
export const Whose = ({ mind }: { mind: string }) => <>From <a href={to(mind)}><bdi>{mind}</bdi></a></>;

const quoted = (text: string): string => (/[“”]/.test(text) ? text : `“${text}”`);

function OneSource({ mind, of, said }: { mind: string; of: Source; said: string }) {
  const whose = of.mind_id ?? mind;
  const from = of.mind_id && <><Whose mind={of.mind_id} />, </>;
  if ("correction_id" in of) return <>{from}<When at={of.timestamp} as="moment" />, <By who={of.by} />: {quoted(of.excerpt)}</>;
  if ("path" in of) return <>{from}<a href={to(whose, "journal", of.path)}>{of.path}:{of.start_line}</a>: {quoted(of.excerpt)}</>;
  const words = of.excerpt.trim() === said.trim() ? "" : `: ${quoted(of.excerpt)}`;
  return <>{from}<a href={to(whose, "replay", of.session_id, { turn: of.turn_id })}><When at={of.timestamp} as="moment" /></a>{words}</>;
}
