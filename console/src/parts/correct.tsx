// Putting a memory right: what is said of it becomes a correction, and each is taken back with one click.
import { post, remove, type Schemas } from "../api/client";
import { Late, over } from "./late";
import { attempt, say } from "./toast";

export type What = Schemas["WhatOut"];
export type Target = Schemas["TargetIn"];
export type Decision = Schemas["DecisionOut"];

const DONE: Record<What, string> = {
  edit: "It is told otherwise from now on.",
  wrong: "It is not told any more.",
  right: "It is told as it is.",
  say: "It is known from now on.",
  pin: "It comes up first from now on.",
  mute: "It never comes up by itself from now on.",
  merge: "They are one from now on.",
  split: "They are two from now on.",
  rename: "It has another name from now on.",
};

/** Make a correction and say so, with the way back; *then* runs after it was made, and after it was taken back. */
export async function correct(
  mind: string,
  correction: Schemas["CorrectionIn"],
  then: () => void = () => undefined,
): Promise<boolean> {
  return attempt(async () => {
    const made = await post("/v1/minds/{mind_id}/corrections", { path: { mind_id: mind }, body: correction });
    say(DONE[correction.what], async () => {
      await takeBack(mind, made.id);
      then();
    });
    then();
  });
}

export const takeBack = (mind: string, id: string) =>
  remove("/v1/minds/{mind_id}/corrections/{correction_id}", { path: { mind_id: mind, correction_id: id } });

/** So many letters may be said in the place of a memory. */
export const LONGEST_EDIT = 2000;
export const LONGEST_REASON = 1000;

/** What an edit of a turn begins with: what people said in it, else all of it; nothing where that is too long to be put right whole. */
export function wordsOfTurn(messages: readonly Schemas["MessageOut"][]): string | undefined {
  if (!messages.length) return undefined;
  const ofPeople = messages.filter((one) => one.role === "user");
  const words = (ofPeople.length ? ofPeople : messages).map((one) => one.content).join("\n");
  return words.length <= LONGEST_EDIT ? words : "";
}

export interface ActionsProps {
  mind: string;
  target: Target;
  /** The words that an edit begins with; none for what can not be edited. */
  words?: string | undefined;
  decided?: readonly Decision[] | undefined;
  then?: (() => void) | undefined;
}

const edit = () => import("./edit");

/** The buttons beside a memory: that is wrong, it is otherwise, always bring it up, never. */
export function CorrectionButtons({ mind, target, words, decided = [], then }: ActionsProps) {
  const stands = (what: What) => decided.find((one) => one.what === what);
  const toggle = (what: What) => {
    const standing = stands(what);
    const undone = () => takeBack(mind, standing?.id ?? "").then(() => say("Taken back."));
    void (standing ? attempt(undone).then(() => then?.()) : correct(mind, { what, target }, then));
  };
  const button = (what: What, name: string) => (
    <button type="button" aria-pressed={Boolean(stands(what))} onClick={() => toggle(what)}>{name}</button>
  );
  return (
    <div class="actions">
      {words !== undefined && <button type="button" onClick={() => (over.value = <Late key={target.id} load={edit} mind={mind} target={target} words={words} then={then} />)}>Edit</button>}
      {target.kind !== "entity" && button("wrong", "Wrong")}
      {button("pin", "Pin")}
      {button("mute", "Mute")}
    </div>
  );
}

/** Who decided something: "owner" and "local" are whoever sits here. */
export const By = ({ who }: { who: string }) => (["owner", "local"].includes(who) ? <>you</> : <bdi>{who}</bdi>);

/** What a person decided of a memory, in words. */
export function Decisions({ of }: { of: readonly Decision[] }) {
  if (!of.length) return null;
  return <>{of.map((one) => <span key={one.id} class="badge is-person">{decidedWords(one)}</span>)}</>;
}

const DECIDED: Record<What, string> = {
  edit: "a person: it is otherwise",
  wrong: "a person: wrong",
  right: "a person: right",
  say: "a person said so",
  pin: "pinned",
  mute: "never comes up",
  merge: "merged into",
  split: "split",
  rename: "renamed",
};

export const decidedWords = (one: Decision): string => (one.to ? `${DECIDED[one.what]}: ${one.to}` : DECIDED[one.what]);
