// Words of whoever, in the direction that most of their letters have: a name of another script does not turn the line round.
import type { ComponentChildren } from "preact";

const RIGHT_TO_LEFT = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/gu;
const LETTER = /\p{L}/gu;

interface WordsProps {
  of: string;
  /** Names that may stand in the words: each is set by itself, and none counts for the direction. */
  names?: readonly string[];
  class?: string;
}

export function Words({ of, names = [], class: name }: WordsProps) {
  const pieces = piecesOf(of, names);
  const others = pieces.filter((_, at) => at % 2 === 0).join("");
  const set: ComponentChildren[] = pieces.map((one, at) => (at % 2 ? <bdi key={at}>{one}</bdi> : one));
  return <bdi class={name} dir={directionOf(others) ?? directionOf(of) ?? "auto"}>{set}</bdi>;
}

/** The words between names, and the names: a name stands at every odd place. */
function piecesOf(text: string, names: readonly string[]): readonly string[] {
  const escaped = names.filter(Boolean).sort((a, b) => b.length - a.length).map((one) => one.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return escaped.length ? text.split(new RegExp(`(${escaped.join("|")})`, "u")) : [text];
}

function directionOf(text: string): "ltr" | "rtl" | undefined {
  const letters = text.match(LETTER)?.length ?? 0;
  if (!letters) return undefined;
  return (text.match(RIGHT_TO_LEFT)?.length ?? 0) * 2 > letters ? "rtl" : "ltr";
}
