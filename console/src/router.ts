// The address behind the #: /mind/page/part?query. A part is a session, an entity, or a version.
import { computed, signal } from "@preact/signals";
import { calls } from "./api/client";
import { TICKET } from "./session";

export interface Place {
  /** Empty: the list of minds. */
  mind: string;
  page: string;
  part: string;
  query: URLSearchParams;
}

/** A ticket in the address is no place, and must not be asked for as if it were one. */
const here = (): string => (location.hash.startsWith(TICKET) ? "" : location.hash);

const hash = signal(here());

const arrive = (): void => {
  const before = place.value;
  hash.value = here();
  if (place.value.page !== before.page || place.value.mind !== before.mind) calls.value = [];
};

addEventListener("hashchange", arrive);

export const place = computed<Place>(() => {
  const [path = "", query = ""] = hash.value.replace(/^#\/?/, "").split("?");
  const [mind = "", page = "", part = ""] = path.split("/").map(decoded);
  return { mind, page, part, query: new URLSearchParams(query) };
});

/** The address of a page. */
export function to(mind: string, page = "", part = "", query: Record<string, string> = {}): string {
  const path = [mind, page, part].filter(Boolean).map(encodeURIComponent).join("/");
  const pairs = new URLSearchParams(query);
  return `#/${path}${pairs.size ? `?${pairs}` : ""}`;
}

export function go(address: string): void {
  location.hash = address.replace(/^#/, "");
}

/** Go to a place in the stead of the present one: without a step in the browser's history. */
export function replace(address: string): void {
  history.replaceState(history.state, "", address);
  arrive();
}

/** What was noted under a name with this step of the browser's history. */
export const noted = (name: string): unknown => (history.state as Record<string, unknown> | null)?.[name];

/** Note something with this step of the browser's history: it is there when the step comes again, by Back or by reload. */
export const note = (name: string, value: unknown): void => history.replaceState({ ...history.state, [name]: value }, "");

/** Change the query of the present page without a step in the browser's history. */
export function setQuery(changes: Record<string, string>): void {
  const now = place.value;
  const merged = { ...Object.fromEntries(now.query), ...changes };
  const kept = Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== ""));
  replace(to(now.mind, now.page, now.part, kept));
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
