// Where everything stands: x is when it was first heard of, y is the lane of its theme and a place by hash. It never moves.
import type { Graph } from "./model";

/** The part of time that is looked at, in seconds. */
export interface View {
  from: number;
  until: number;
}

export interface Size {
  wide: number;
  high: number;
}

export interface Layout {
  /** 0 to 1 from the top. */
  y: Float64Array;
  radius: Float64Array;
  /** Where each lane begins, 0 to 1, with the end of the last. */
  tops: readonly number[];
  /** Entities, the most mentioned first. */
  order: readonly number[];
}

export const PAD = { left: 14, right: 18, top: 14, bottom: 22 };
const LARGEST = 12;

export function layoutOf(graph: Graph): Layout {
  const counts = graph.laneNames.map(() => 0);
  for (const lane of graph.lanes) counts[lane] = (counts[lane] ?? 0) + 1;
  const shares = counts.map((count) => Math.sqrt(Math.max(1, count)));
  const whole = shares.reduce((sum, one) => sum + one, 0) || 1;
  const tops = [0];
  for (const share of shares) tops.push((tops.at(-1) ?? 0) + share / whole);
  const y = Float64Array.from(graph.ids, (id, at) => {
    const lane = graph.lanes[at] ?? 0;
    const [top, end] = [tops[lane] ?? 0, tops[lane + 1] ?? 1];
    return top + (0.2 + 0.68 * hash(id)) * (end - top);
  });
  const radius = Float64Array.from(graph.mentions, (count) => Math.min(LARGEST, 2 + Math.sqrt(count) * 0.8));
  const order = graph.ids.map((_, at) => at).sort((a, b) => (graph.mentions[b] ?? 0) - (graph.mentions[a] ?? 0));
  return { y, radius, tops, order };
}

/** A number from 0 to 1 that an id has for ever. */
function hash(id: string): number {
  let mixed = 2166136261;
  for (let at = 0; at < id.length; at++) mixed = Math.imul(mixed ^ id.charCodeAt(at), 16777619);
  mixed ^= mixed >>> 15;
  mixed = Math.imul(mixed, 2246822519);
  return ((mixed ^ (mixed >>> 13)) >>> 0) / 4294967296;
}

export const xOf = (time: number, view: View, { wide }: Size): number =>
  PAD.left + ((time - view.from) / (view.until - view.from)) * (wide - PAD.left - PAD.right);

export const yOf = (share: number, { high }: Size): number => PAD.top + share * (high - PAD.top - PAD.bottom);

export const timeAt = (x: number, view: View, { wide }: Size): number =>
  view.from + ((x - PAD.left) / (wide - PAD.left - PAD.right)) * (view.until - view.from);

const REACH = 16;

/** The entity at a place of the picture, if one is near. */
export function entityAt(graph: Graph, layout: Layout, view: View, size: Size, at: number, x: number, y: number): number | null {
  let [best, nearest] = [null as number | null, REACH * REACH];
  graph.first.forEach((first, entity) => {
    if (first > at || entity === graph.hub) return;
    const [dx, dy] = [xOf(first, view, size) - x, yOf(layout.y[entity] ?? 0, size) - y];
    const distance = dx * dx + dy * dy;
    if (distance < nearest) [best, nearest] = [entity, distance];
  });
  return best;
}

const MARGIN = 0.03;
const SHORTEST = 7 * 86_400;

export function wholeView(graph: Graph): View {
  const margin = (graph.until - graph.since) * MARGIN;
  return { from: graph.since - margin, until: graph.until + margin };
}

/** The last days of a time, or all of it where it is shorter. */
export function lastDays(graph: Graph, days: number): View {
  const whole = wholeView(graph);
  return { from: Math.max(whole.from, graph.until - days * 86_400), until: whole.until };
}

/** Look at more or less time around a moment, never beyond what is known. */
export function zoomed(view: View, graph: Graph, around: number, by: number): View {
  const whole = wholeView(graph);
  const span = Math.max(Math.min(SHORTEST, whole.until - whole.from), Math.min(whole.until - whole.from, (view.until - view.from) * by));
  const share = (around - view.from) / (view.until - view.from);
  return within({ from: around - span * share, until: around + span * (1 - share) }, whole);
}

export function moved(view: View, graph: Graph, by: number): View {
  return within({ from: view.from + by, until: view.until + by }, wholeView(graph));
}

function within(view: View, whole: View): View {
  const by = Math.max(0, whole.from - view.from) - Math.max(0, view.until - whole.until);
  return { from: view.from + by, until: view.until + by };
}
