// Words that are typed and not sent yet: they outlive the page they stand on, and end with the tab, or with the session of whoever typed them.
import { useState } from "preact/hooks";
import { ERASED, happened } from "../api/events";
import { counted } from "../dates";
import { onAnother } from "../session";

const unsent = new Map<string, string>();

onAnother(() => unsent.clear());

// A correction begins with words that may be erased now; one that is open asks for itself.
happened.subscribe((event) => {
  if (event?.kind !== ERASED) return;
  if (event.data.session_id || event.data.turn_id) dropTyped("edit ");
  else unsent.clear();
});

/** Forget what was typed under names that begin like this. */
export function dropTyped(beginning: string): void {
  for (const name of [...unsent.keys()]) if (name.startsWith(beginning)) unsent.delete(name);
}

/** Words under a name of their own, *first* to begin with. */
export function useTyped(name: string, first = ""): readonly [string, (words: string) => void] {
  const [words, setWords] = useState(unsent.get(name) ?? first);
  const type = (now: string) => {
    setWords(now);
    if (now === first) unsent.delete(name);
    else unsent.set(name, now);
  };
  return [words, type];
}

const SHOWN_BELOW = 100;

/** How many letters are left, where they are few; or how many are too many. Nothing is cut. */
export function Left({ of, most }: { of: string; most: number }) {
  const left = most - of.length;
  if (left >= SHOWN_BELOW) return null;
  return <span class={left < 0 ? "small wrong" : "small quiet"} role="status">{left < 0 ? `${counted(-left, "letter")} too many` : `${counted(left, "letter")} left`}</span>;
}
