// Walking a list by keys: j and k move, Enter opens, e edits, w tells where it comes from.
import type { RefObject } from "preact";
import { useEffect } from "preact/hooks";
import { bind } from "../keys";

/** Let one-letter keys walk the elements with `data-walk` inside *place*. */
export function useWalk(place: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const all = () => [...(place.current?.querySelectorAll<HTMLElement>("[data-walk]") ?? [])];
    const current = () => all().find((one) => one.contains(document.activeElement));
    const step = (by: number) => {
      const items = all();
      const here = current();
      const at = here ? items.indexOf(here) + by : 0;
      items[Math.max(0, Math.min(items.length - 1, at))]?.focus();
    };
    const press = (what: string) => current()?.querySelector<HTMLElement>(what)?.click();
    const open = (event: KeyboardEvent) => {
      if (event.key === "Enter" && event.target === current()) press("a");
    };
    const element = place.current;
    element?.addEventListener("keydown", open);
    const bound = [
      bind("j", () => step(1)),
      bind("k", () => step(-1)),
      bind("e", () => press(".actions button")),
      bind("w", () => press("summary")),
    ];
    return () => {
      bound.forEach((end) => end());
      element?.removeEventListener("keydown", open);
    };
  }, []);
}
