// Two people saved: both texts side by side, and for each part the choice of whose to keep.
import { useEffect, useState } from "preact/hooks";
import { counted } from "../dates";
import type { Conflict, Kept } from "./draft";
import type { Part } from "./sections";

type Whose = "mine" | "theirs";

/** A part as each of both has it; null where it is not in a text. */
interface Pair {
  key: string;
  mine: string | null;
  theirs: string | null;
  /** Whose to keep, unless the person says otherwise: theirs, where only they changed it. */
  whose: Whose;
}

interface MergeProps {
  mine: string;
  conflict: Conflict;
  partsOf: (text: string) => readonly Part[];
  save: (text: string, theirs: Kept) => Promise<unknown>;
  leave: (theirs: Kept) => void;
  /** Says where what is replaced can be found afterwards. */
  afterwards: string;
}

export function Merge({ mine, conflict, partsOf, save, leave, afterwards }: MergeProps) {
  const [pairs] = useState(() => pairsOf(partsOf(mine), partsOf(conflict.theirs.text), partsOf(conflict.base)));
  const [said, setSaid] = useState<Readonly<Record<string, Whose>>>({});
  const different = pairs.filter((one) => !isSame(one.mine, one.theirs));
  const merged = joined(pairs.map((one) => one[said[one.key] ?? one.whose] ?? ""));
  return (
    <section class="merge" aria-labelledby="merge">
      <h2 id="merge">Somebody else saved meanwhile</h2>
      <p>
        Both texts differ in {counted(different.length, "place")}. Choose whose to keep in each; nothing is saved before you
        say so. {afterwards}
      </p>
      {different.map((one) => (
        <OnePair key={one.key} of={one} whose={said[one.key] ?? one.whose} choose={(whose) => setSaid({ ...said, [one.key]: whose })} />
      ))}
      <div class="row">
        <button type="button" class="main" onClick={() => void save(merged, conflict.theirs)}>Save this</button>
        <button type="button" onClick={() => leave(conflict.theirs)}>Drop mine</button>
      </div>
    </section>
  );
}

interface PairProps {
  of: Pair;
  whose: Whose;
  choose: (whose: Whose) => void;
}

function OnePair({ of, whose, choose }: PairProps) {
  const side = (name: Whose, label: string) => (
    <label class={whose === name ? "side is-kept" : "side"}>
      <span class="switch">
        <input type="radio" name={of.key} checked={whose === name} onChange={() => choose(name)} />
        {label}
      </span>
      {of[name] === null ? <span class="quiet">Not in this text.</span> : <Compared text={of[name] ?? ""} other={of[name === "mine" ? "theirs" : "mine"] ?? ""} />}
    </label>
  );
  return (
    <fieldset>
      <legend><bdi>{of.key.replace(/^#+\s*/, "") || "The beginning"}</bdi></legend>
      {side("mine", "Keep mine")}
      {side("theirs", "Keep theirs")}
    </fieldset>
  );
}

/** A text in which what the other one does not have is marked. */
function Compared({ text, other }: { text: string; other: string }) {
  const [places, setPlaces] = useState<readonly (readonly [number, number])[]>([]);
  useEffect(() => {
    void import("./editor/codemirror").then(({ changedPlaces }) => setPlaces(changedPlaces(other, text)));
  }, [text, other]);
  let at = 0;
  const pieces = places.flatMap(([from, to]) => {
    const piece = [text.slice(at, from), <mark key={from}>{text.slice(from, to)}</mark>];
    at = to;
    return piece;
  });
  return <span class="said text">{pieces}{text.slice(at)}</span>;
}

function pairsOf(mine: readonly Part[], theirs: readonly Part[], base: readonly Part[]): readonly Pair[] {
  const [inMine, inTheirs, inBase] = [byKey(mine), byKey(theirs), byKey(base)];
  return ordered([...inTheirs.keys()], [...inMine.keys()]).map((key) => {
    const [my, their, was] = [inMine.get(key) ?? null, inTheirs.get(key) ?? null, inBase.get(key) ?? null];
    return { key, mine: my, theirs: their, whose: isSame(my, was) ? "theirs" : "mine" };
  });
}

/** Whether a part has the same words: how it ends depends on whether another part follows. */
const isSame = (one: string | null, other: string | null): boolean => one?.trimEnd() === other?.trimEnd();

/** The parts as one text; the last part of a text has no line end, and may stand before another now. */
const joined = (parts: readonly string[]): string =>
  parts.reduce((text, part) => (text && part && !text.endsWith("\n") ? `${text}\n\n${part}` : text + part), "");

/** All keys in the order of the first list; one that only the second has stands behind what it follows there. */
function ordered(first: readonly string[], second: readonly string[]): readonly string[] {
  const all = [...first];
  second.forEach((key, at) => {
    if (!all.includes(key)) all.splice(all.indexOf(second[at - 1] ?? "") + 1, 0, key);
  });
  return all;
}

/** Parts by their headings; a heading that comes again has its number behind it. */
function byKey(parts: readonly Part[]): Map<string, string> {
  const found = new Map<string, string>();
  for (const { heading, text } of parts) {
    let key = heading;
    for (let again = 2; found.has(key); again++) key = `${heading} (${again})`;
    found.set(key, text);
  }
  return found;
}
