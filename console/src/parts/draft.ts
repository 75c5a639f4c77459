// A text that a person edits: it is saved with the ETag of what it replaces, and outlives a visit to another page.
import { useEffect, useRef, useState } from "preact/hooks";
import { Problem } from "../api/client";
import { onAnother } from "../session";
import { asProblem } from "./load";
import { say } from "./toast";

/** A text as it is kept, and what names this state of it. */
export interface Kept {
  text: string;
  etag: string;
}

/** Somebody else saved meanwhile: what both began with, and their text. */
export interface Conflict {
  base: string;
  theirs: Kept;
}

export interface Draft {
  text: string;
  kept: Kept;
  /** One more whenever the text was replaced by anything but typing. */
  replaced: number;
  isChanged: boolean;
  isSaving: boolean;
  conflict: Conflict | null;
  change: (text: string) => void;
  /** Save it, or *text* in the place of somebody's *theirs*. Returns what takes the save back; null if nothing was saved. */
  save: (text?: string, theirs?: Kept) => Promise<(() => Promise<void>) | null>;
  /** Drop what was changed, and begin with *kept*. */
  begin: (kept: Kept) => void;
}

/** How a text is written and read. */
export interface Keeper {
  write: (text: string, etag: string) => Promise<Kept>;
  /** What is kept now; asked after somebody else was faster. */
  read: () => Promise<Kept>;
}

interface Writing extends Keeper {
  /** Names the text among all that are edited in this tab. */
  name: string;
  kept: Kept;
}

const unsaved = new Map<string, { text: string; kept: Kept }>();

onAnother(() => unsaved.clear());

addEventListener("beforeunload", (event) => {
  if (unsaved.size) event.preventDefault();
});

/** Whether something that was typed under this name is not saved. */
export const isUnsaved = (name: string): boolean => unsaved.has(name);

export function useDraft({ name, kept: first, write, read }: Writing): Draft {
  const [{ text, kept, replaced }, setState] = useState(() => ({ text: first.text, kept: first, replaced: 0, ...unsaved.get(name) }));
  const [conflict, setConflict] = useState<Conflict | null>(null);
  const [isSaving, setSaving] = useState(false);
  const isChanged = text !== kept.text;
  const begin = (now: Kept) => {
    setConflict(null);
    setState((old) => ({ text: now.text, kept: now, replaced: old.replaced + 1 }));
  };
  const saved = (mine: string, now: Kept) => {
    setConflict(null);
    setState((old) => {
      const goesOn = old.text === mine ? now.text : old.text; // what was typed meanwhile stays
      return { text: goesOn, kept: now, replaced: goesOn === old.text ? old.replaced : old.replaced + 1 };
    });
  };
  const seen = useRef(first);
  useEffect(() => {
    if (seen.current !== first && !isChanged) begin(first);
    seen.current = first;
  }, [first]);
  useEffect(() => {
    if (isChanged) unsaved.set(name, { text, kept });
    else unsaved.delete(name);
  }, [name, text, kept, isChanged]);
  const save = async (mine = text, theirs = kept): Promise<(() => Promise<void>) | null> => {
    setSaving(true);
    try {
      const now = await written(mine, theirs, { write, read });
      if (mine === text) saved(mine, now);
      else begin(now);
      return () => takeSaveBack(theirs.text, now, { write, read });
    } catch (error) {
      if (!(error instanceof Faster)) say(asProblem(error).detail);
      else {
        if (theirs !== kept) {
          setState((old) => ({ ...old, text: mine, kept: theirs })); // what was merged is now mine, made of theirs
          say("They saved again. Look at what differs now.");
        }
        setConflict({ base: theirs.text, theirs: error.theirs });
      }
      return null;
    } finally {
      setSaving(false);
    }
  };
  const change = (now: string) => setState((old) => ({ ...old, text: now }));
  return { text, kept, replaced, isChanged, isSaving, conflict, change, save, begin };
}

/** Put *before* in the place of what was *saved*, unless somebody saved since. Raises Problem. */
export async function takeSaveBack(before: string, saved: Kept, keeper: Keeper): Promise<void> {
  try {
    await written(before, saved, keeper);
  } catch (error) {
    throw error instanceof Faster ? new Problem(412, "Somebody saved since. Nothing was taken back.") : error;
  }
}

/** The state of a text that was changed here; *isOther*: what is kept is another text than the one it was made of. */
export const notSaved = (isOther: boolean): string =>
  isOther ? "Not saved yet, and changed elsewhere meanwhile: “Save” shows both texts" : "Not saved yet";

const LOOK_MS = 5000;

/**
 * Call *again* where a text of which this tab knows the state *etag* was changed elsewhere: in another tab, by another
 * client, or on the disk. It is looked at when the tab is seen again, and every few seconds while it is seen.
 */
export function useChangedElsewhere(etag: string | undefined, read: () => Promise<Pick<Kept, "etag">>, again: () => void): void {
  const latest = useRef({ read, again });
  latest.current = { read, again };
  useEffect(() => {
    if (etag === undefined) return;
    const ended = new AbortController();
    const look = async () => {
      if (document.visibilityState !== "visible") return;
      const now = await latest.current.read().catch(() => null); // who can not be asked is asked again soon
      if (now && now.etag !== etag && !ended.signal.aborted) latest.current.again();
    };
    const timer = setInterval(() => void look(), LOOK_MS);
    addEventListener("visibilitychange", () => void look(), ended);
    addEventListener("focus", () => void look(), ended);
    return () => {
      ended.abort();
      clearInterval(timer);
    };
  }, [etag]);
}

/** Somebody else saved another text. */
class Faster extends Error {
  constructor(readonly theirs: Kept) {
    super("somebody else saved another text");
  }
}

/** Write *mine* in the place of *kept*; where only marks of ours changed in that, once more. Raises Faster, Problem. */
async function written(mine: string, kept: Kept, { write, read }: Keeper): Promise<Kept> {
  try {
    return await write(mine, kept.etag);
  } catch (error) {
    if (!(error instanceof Problem) || error.status !== 412) throw error;
    const theirs = await read();
    if (theirs.text === kept.text || theirs.text === mine) return write(mine, theirs.etag);
    throw new Faster(theirs);
  }
}
