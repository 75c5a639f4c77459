// Back, forward and reload lead to where one was on a page, once it is as long again as it was.
import { note, noted } from "./router";

const SCROLLED = "top";
const SETTLED_MS = 100;

let bringing: AbortController | undefined;

/** Note how far the page is scrolled, with each step of the browser's history, and scroll there when it comes again. */
export function followScrolling(): void {
  history.scrollRestoration = "manual";
  let timer: ReturnType<typeof setTimeout> | undefined;
  addEventListener("scroll", () => {
    clearTimeout(timer);
    const { href } = location; // it changes before anybody is told that the page does
    const settled = () => href === location.href && note(SCROLLED, Math.round(scrollY));
    if (bringing?.signal.aborted !== false) timer = setTimeout(settled, SETTLED_MS);
  });
  const arrive = () => {
    clearTimeout(timer);
    bring(Number(noted(SCROLLED) ?? 0));
  };
  addEventListener("hashchange", arrive);
  arrive();
}

/** Scroll to *top*, as far as the page reaches while it grows, until somebody does something. */
function bring(top: number): void {
  bringing?.abort();
  if (!top) return;
  const mine = (bringing = new AbortController());
  const { signal } = mine;
  const watch = new ResizeObserver(() => {
    scrollTo(0, top);
    if (Math.round(scrollY) >= top) mine.abort();
  });
  for (const byHand of ["wheel", "keydown", "pointerdown"]) addEventListener(byHand, () => mine.abort(), { signal });
  signal.addEventListener("abort", () => watch.disconnect());
  // What is left of the page before goes with the next frame.
  requestAnimationFrame(() => requestAnimationFrame(() => signal.aborted || watch.observe(document.body)));
}
