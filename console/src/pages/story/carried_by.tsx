// Where one sentence comes from: the turns, with the words that were found in them.
import { get, type Schemas } from "../../api/client";
import { useLoaded, Wait } from "../../parts/load";
import { When } from "../../parts/time";
import { to } from "../../router";
import type { Sentence, State } from "./sentences";

type SourceTurn = Schemas["SourceTurnOut"];

const WORDS: Record<State, string> = {
  carried: "All of this was said.",
  quoted: "These are the very words that were said.",
  partly: "Most of this was said.",
  in_no_turn: "Found in nothing that was said. It may be invented.",
  a_persons: "A person wrote this chapter. No model ever changes it.",
};

export function CarriedBy({ mind, sentence }: { mind: string; sentence: Sentence }) {
  const { state, missing, turns, text } = sentence;
  return (
    <>
      <blockquote class="said">{text.replace(/\s+/g, " ")}</blockquote>
      <p class={state === "in_no_turn" ? "amber" : undefined}>{WORDS[state]}{missing.length > 0 && <Missing words={missing} />}</p>
      {turns.map((one) => <Turn key={one.sequence} mind={mind} of={one} words={wordsOf(text, missing)} />)}
    </>
  );
}

function Missing({ words }: { words: readonly string[] }) {
  return <> Not found: {words.map((one, at) => <span key={one}>{at > 0 && ", "}“<bdi>{one}</bdi>”</span>)}.</>;
}

function Turn({ mind, of, words }: { mind: string; of: SourceTurn; words: readonly string[] }) {
  const path = { mind_id: mind, turn_id: `episode:${of.sequence}` };
  const turn = useLoaded(() => get("/v1/minds/{mind_id}/turns/{turn_id}", { path }), [mind, of.sequence]);
  return (
    <article class="card source">
      <h3><When at={of.occurred_at} as="moment" /></h3>
      <Wait of={turn}>
        {({ messages }) => (
          <>{messages.map((one, at) => <p key={at}><span class="quiet"><bdi>{one.name ?? one.role}</bdi>:</span> <Marked text={one.content} words={words} /></p>)}</>
        )}
      </Wait>
      <a class="button" href={to(mind, "replay", of.session_id, { turn: of.turn_id })}>Open the conversation</a>
    </article>
  );
}

const WORD = /[\p{L}\p{N}]+/gu;
const TELLING = 4;
const STEM = 5;
const MOST_SHOWN = 1200;

/** The words of a sentence by which a turn is recognised: long ones, names and numbers. */
function wordsOf(sentence: string, missing: readonly string[]): readonly string[] {
  const absent = new Set(missing.map((one) => one.toLowerCase()));
  const found = (sentence.match(WORD) ?? []).filter((one) => one.length >= TELLING || /^[\p{Lu}\p{N}]/u.test(one));
  return [...new Set(found.map((one) => one.toLowerCase()))].filter((one) => !absent.has(one) && one.length > 1);
}

/** A message with the words of the sentence marked; of a long one, what stands around the first of them. */
function Marked({ text, words }: { text: string; words: readonly string[] }) {
  const first = [...text.matchAll(WORD)].find((one) => isOneOf(one[0], words))?.index ?? 0;
  const from = text.length > MOST_SHOWN ? Math.max(0, first - 200) : 0;
  const shown = text.slice(from, from + MOST_SHOWN);
  const pieces = shown.split(/([\p{L}\p{N}]+)/u).map((one, at) => (at % 2 && isOneOf(one, words) ? <mark key={at}>{one}</mark> : one));
  return <>{from > 0 && "… "}{pieces}{from + MOST_SHOWN < text.length && " …"}</>;
}

function isOneOf(word: string, words: readonly string[]): boolean {
  const lower = word.toLowerCase();
  return words.some((one) => one === lower || (one.length >= STEM && lower.length >= STEM && one.slice(0, STEM) === lower.slice(0, STEM)));
}
