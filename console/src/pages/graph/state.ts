// What is looked at: a moment, a part of time, an entity. Kept in signals, so that a step of the slider redraws the picture only.
import { type Signal, signal } from "@preact/signals";
import { lastDays, type Layout, layoutOf, type View, wholeView } from "./layout";
import type { Graph } from "./model";

export interface Looking {
  graph: Graph;
  layout: Layout;
  at: Signal<number>;
  view: Signal<View>;
  chosen: Signal<number | null>;
  hovered: Signal<number | null>;
  found: Signal<ReadonlySet<number> | null>;
  allTies: Signal<boolean>;
}

const NARROW = 760;
const LAST_DAYS = 90;

export function lookingAt(graph: Graph, query: URLSearchParams): Looking {
  return {
    graph,
    layout: layoutOf(graph),
    at: signal(momentOf(graph, query.get("at"))),
    view: signal(innerWidth <= NARROW ? lastDays(graph, LAST_DAYS) : wholeView(graph)),
    chosen: signal(chosenOf(graph, query.get("chosen"))),
    hovered: signal(null),
    found: signal(null),
    allTies: signal(false),
  };
}

/** The entity of the address; null where it names none that is known. */
export function chosenOf(graph: Graph, id: string | null): number | null {
  const at = graph.ids.indexOf(id ?? "");
  return at < 0 ? null : at;
}

/** The end of a day of the address, within what is known; now where it names none. */
export function momentOf(graph: Graph, day: string | null): number {
  const ended = day && /^\d{4}-\d{2}-\d{2}$/.test(day) ? Date.parse(`${day}T23:59:59`) / 1000 : NaN;
  return Number.isFinite(ended) ? Math.max(graph.since, Math.min(graph.until, ended)) : graph.until;
}

/** A moment as a day of the address, empty for now. */
export function dayOf(graph: Graph, at: number): string {
  if (at >= graph.until) return "";
  const day = new Date(at * 1000);
  const two = (value: number) => String(value).padStart(2, "0");
  return `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`;
}
