// Walking a list by keys: j and k move, Enter opens, e puts right, w tells where it comes from.
import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { bind, mention } from "../keys";

/** What a key does with the one that is reached: in words, and which of its elements is pressed, "" for the element itself. */
export type Press = readonly [does: string, selector: string];

export interface Walked {
  Enter?: Press;
  e?: Press;
  w?: Press;
}

/** Let one-letter keys walk the elements with `data-walk` inside *place*, unless *isOff*. */
export function useWalk(place: RefObject<HTMLElement | null>, does: Walked, isOff = false): void {
  const last = useRef<HTMLElement | null>(null); // where it was, while the focus is elsewhere
  useEffect(() => {
    const element = place.current;
    if (isOff || !element) return undefined;
    const all = () => [...element.querySelectorAll<HTMLElement>("[data-walk]")];
    const current = () => all().find((one) => one.contains(document.activeElement)) ?? all().find((one) => one === last.current);
    const step = (by: number) => {
      const items = all();
      const here = current();
      const at = here ? items.indexOf(here) + by : 0;
      last.current = items[Math.max(0, Math.min(items.length - 1, at))] ?? null;
      last.current?.focus();
    };
    const press = (selector: string) => {
      const pressed = selector ? current()?.querySelector<HTMLElement>(selector) : current();
      pressed?.click();
    };
    const open = (event: KeyboardEvent) => {
      if (event.key === "Enter" && event.target === current() && does.Enter?.[1]) press(does.Enter[1]);
    };
    element.addEventListener("keydown", open);
    const letters = (["e", "w"] as const).flatMap((key) => {
      const found = does[key];
      return found ? [bind(key, found[0], () => press(found[1]))] : [];
    });
    const bound = [
      bind("j", "the next one", () => step(1)),
      bind("k", "the one before", () => step(-1)),
      ...(does.Enter ? [mention("Enter", does.Enter[0])] : []),
      ...letters,
    ];
    return () => {
      bound.forEach((end) => end());
      element.removeEventListener("keydown", open);
    };
  }, [isOff]);
}
