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
const deeds = new Map<string, Deed>();

/** Let *key* do something until the answer is called. Two letters with a space are pressed one after the other. */
export function bind(key: string, deed: Deed): () => void {
  deeds.set(key, deed);
  return () => {
    if (deeds.get(key) === deed) deeds.delete(key);
  };
}

const BETWEEN_MS = 1200;
let first = "";
let timer: ReturnType<typeof setTimeout> | undefined;

addEventListener("keydown", (event) => {
  if (!keysOn.value || event.ctrlKey || event.metaKey || event.altKey || isWriting(event.target)) return;
  const deed = deeds.get(first ? `${first} ${event.key}` : event.key);
  const isFirst = !first && [...deeds.keys()].some((key) => key.startsWith(`${event.key} `));
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
