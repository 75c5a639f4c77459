// How much room there is: a phone shows one column, and what is explained comes as a sheet where it has no place.
import { type Signal, signal } from "@preact/signals";

/** One column. */
export const isPhone = follow("(max-width: 760px)");

/** No room for an explanation beside the page. */
export const isTight = follow("(max-width: 1099px)");

function follow(query: string): Signal<boolean> {
  const media = matchMedia(query);
  const found = signal(media.matches);
  media.addEventListener("change", () => (found.value = media.matches));
  return found;
}
