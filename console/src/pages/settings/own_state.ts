// A mind's own settings as they are kept, and what changes them: one field at a time, one change after the other.
import { useRef, useState } from "preact/hooks";
import { get, patch, type Schemas } from "../../api/client";
import { asProblem, type Loaded, useLoaded } from "../../parts/load";
import { say } from "../../parts/toast";

export type Read = Schemas["SettingsOut"];
export type Change = Schemas["SettingsIn"];
export type Name = keyof Read["settings"];

/** Why a change was not kept: the service's words, or what somebody else set the same field to meanwhile. */
export interface Refusal {
  /** What was to be kept. */
  mine: unknown;
  words?: string;
  theirs?: unknown;
}

export interface OwnSettings {
  settings: Loaded<Read>;
  refusals: Readonly<Partial<Record<Name, Refusal>>>;
  /** Keep a value; null takes it away. True once it is kept. */
  change: (name: Name, value: unknown) => Promise<boolean>;
  /** Forget why a change was not kept. */
  settle: (name: Name) => void;
}

const PATH = "/v1/minds/{mind_id}/settings";
const MOST_TRIES = 5;

/** Each change is of what the one before came to. What somebody else changed in other fields does not stop it. */
export function useOwnSettings(mind: string): OwnSettings {
  const path = { mind_id: mind };
  const first = useLoaded(() => get(PATH, { path }), [mind]);
  const [later, setLater] = useState<{ after: Read | undefined; kept: Read }>();
  const [refusals, setRefusals] = useState<OwnSettings["refusals"]>({});
  const kept = later && later.after === first.value ? later.kept : first.value;
  const newest = useRef(kept);
  newest.current = kept;
  const queue = useRef<Promise<unknown>>(Promise.resolve());
  const keep = (now: Read) => {
    newest.current = now;
    setLater({ after: first.value, kept: now });
  };
  const settle = (name: Name) => setRefusals(({ [name]: _, ...others }) => others);
  const send = async (name: Name, mine: unknown): Promise<Refusal | null> => {
    const seen = newest.current?.settings[name].value;
    for (let tries = 1; ; tries++) {
      try {
        keep(await patch(PATH, { path, body: { [name]: mine }, headers: { "If-Match": newest.current?.etag ?? "" } }));
        return null;
      } catch (error) {
        const problem = asProblem(error);
        if (problem.status !== 412 || tries === MOST_TRIES) return { mine, words: inWords(problem.detail) };
        const now = await get(PATH, { path });
        keep(now);
        const theirs = now.settings[name].value;
        if (!isSame(theirs, seen) && !isSame(theirs, mine)) return { mine, theirs };
      }
    }
  };
  const save = async (name: Name, value: unknown): Promise<boolean> => {
    const refusal = await send(name, value).catch((error) => ({ mine: value, words: asProblem(error).detail }));
    settle(name);
    if (refusal) setRefusals((others) => ({ ...others, [name]: refusal }));
    else say("Saved. It holds at once.");
    return !refusal;
  };
  const change = (name: Name, value: unknown) => {
    const done = queue.current.then(() => save(name, value));
    queue.current = done;
    return done;
  };
  return { settings: { ...first, value: kept }, refusals, change, settle };
}

export const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** The service's words without the place in the body, which is for who writes calls. */
const inWords = (detail: string): string => detail.replace(/^#\/[^\s:]+: /, "");
