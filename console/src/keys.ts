// One-letter keys, as in the list that "?" shows. They can be switched off (WCAG 2.1.4).
import { signal } from "@preact/signals";

const PLACE = "mind-memory-keys";

/** Whether one-letter keys do anything. */
export const keysOn = signal(localStorage.getItem(PLACE) !== "off");

export function switchKeys(on: boolean): void {
  localStorage.setItem(PLACE, on ? "on" : "off");
  keysOn.value = on;
}

type Deed = () => void;

interface Bound {
  does: string;
  deed: Deed | null;
}

const bound = new Map<string, Bound>();

/** Let *key* do something, in words and in deed, until the answer is called. Two letters with a space are pressed one after the other. */
export const bind = (key: string, does: string, deed: Deed): (() => void) => put(key, { does, deed });

/** Say in the list of keys what *key* does here by itself, as Enter on a link, until the answer is called. */
export const mention = (key: string, does: string): (() => void) => put(key, { does, deed: null });

/** The keys that do something on this page, with what they do. */
export const keysHere = (): readonly (readonly [string, string])[] => [...bound].map(([key, { does }]) => [key, does] as const);

function put(key: string, one: Bound): () => void {
  bound.set(key, one);
  return () => {
    if (bound.get(key) === one) bound.delete(key);
  };
}

const BETWEEN_MS = 1200;
let first = "";
let timer: ReturnType<typeof setTimeout> | undefined;

addEventListener("keydown", (event) => {
  if (!keysOn.value || event.ctrlKey || event.metaKey || event.altKey || isWriting(event.target)) return;
  if (document.querySelector("dialog[open]")) return; // what lies behind it is not meant
  const deed = bound.get(first ? `${first} ${event.key}` : event.key)?.deed;
  const isFirst = !first && [...bound.keys()].some((key) => key.startsWith(`${event.key} `));
  clearTimeout(timer);
  first = isFirst ? event.key : "";
  timer = setTimeout(() => {
    first = "";
  }, BETWEEN_MS);
  if (!deed) return;
  event.preventDefault();
  deed();
});

function isWriting(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || target.shadowRoot !== null || ["INPUT", "TEXTAREA", "SELECT"].includes(target.tagName);
}
