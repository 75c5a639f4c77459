// The graph as columns of numbers: what the drawing, the slider and the list read. Times are in seconds.
import type { Schemas } from "../../api/client";

type Answer = Schemas["service__http__schemas__knowledge__GraphOut"];

export const DAY = 86_400;
export const WEEK = 7 * DAY;

export interface Graph {
  ids: readonly string[];
  names: readonly string[];
  kinds: readonly string[];
  /** The place of each entity's kind among the commonest; 4 for all others. */
  kindNumbers: Int32Array;
  /** The lane of each entity. */
  lanes: Int32Array;
  laneNames: readonly string[];
  first: Float64Array;
  last: Float64Array;
  mentions: readonly number[];
  factIds: readonly string[];
  source: Int32Array;
  target: Int32Array;
  /** When it was learned: not before both its entities were heard of. */
  learned: Float64Array;
  /** When it begins to hold. */
  begins: Float64Array;
  /** When it ended, as far as it was known to; Infinity while it holds. */
  ended: Float64Array;
  /** What a person said is not so, at any time. */
  wrong: readonly boolean[];
  /** The facts of each entity. */
  factsOf: readonly (readonly number[])[];
  /** Whoever everything is about: left out of the picture unless chosen. */
  hub: number | null;
  since: number;
  until: number;
  leftOut: Answer["left_out"];
}

const seconds = (at: string): number => Date.parse(at) / 1000;

export function graphOf(answer: Answer, now: number): Graph {
  const { entities, facts } = answer;
  const place = new Map(entities.id.map((id, at) => [id, at]));
  const both = facts.id.map((_, at) => at).filter((at) => place.has(facts.source[at] ?? "") && place.has(facts.target[at] ?? ""));
  const end = (column: readonly string[]) => Int32Array.from(both, (at) => place.get(column[at] ?? "") ?? 0);
  const first = Float64Array.from(entities.first, seconds);
  const last = Float64Array.from(entities.last, seconds);
  const until = Math.max(now, last.reduce((most, one) => Math.max(most, one), 0));
  const [source, target] = [end(facts.source), end(facts.target)];
  const told = Float64Array.from(both, (_, at) => Math.max(first[source[at] ?? 0] ?? 0, first[target[at] ?? 0] ?? 0));
  const begins = Float64Array.from(both, (at, here) => time(facts.valid_at[at], told[here] ?? 0));
  const learned = Float64Array.from(told, (least, at) => ((begins[at] ?? 0) > until ? least : Math.max(least, begins[at] ?? 0)));
  const ended = Float64Array.from(both, (at, here) => Math.max(time(facts.invalid_at[at], Infinity), learned[here] ?? 0));
  const factsOf: number[][] = entities.id.map(() => []);
  both.forEach((_, at) => {
    factsOf[source[at] ?? 0]?.push(at);
    if (source[at] !== target[at]) factsOf[target[at] ?? 0]?.push(at);
  });
  const earliest = first.reduce((least, one) => Math.min(least, one), until);
  return {
    ids: entities.id,
    names: entities.name,
    kinds: entities.kind,
    kindNumbers: kindNumbersOf(entities.kind),
    ...lanesOf(answer),
    first,
    last,
    mentions: entities.mentions,
    factIds: both.map((at) => facts.id[at] ?? ""),
    source,
    target,
    learned,
    begins,
    ended,
    wrong: both.map((at) => facts.state[at] === "wrong"),
    factsOf,
    hub: hubOf(entities.name, factsOf, both.length),
    since: Math.min(earliest, until - WEEK),
    until,
    leftOut: answer.left_out,
  };
}

const time = (at: string | null | undefined, otherwise: number): number => (at ? seconds(at) : otherwise);

const MOST_LANES = 12;
const SMALLEST_LANE = 2;

/** Lanes of the fullest themes; whatever is in no theme, or in a small one, shares the last lane. */
function lanesOf({ entities, themes }: Answer): Pick<Graph, "lanes" | "laneNames"> {
  const counts = new Map<string, number>();
  for (const theme of entities.theme) if (theme) counts.set(theme, (counts.get(theme) ?? 0) + 1);
  const full = themes.filter((one) => (counts.get(one.id) ?? 0) >= SMALLEST_LANE);
  const kept = new Map(full.slice(0, MOST_LANES).map((one, lane) => [one.id, lane]));
  const lanes = Int32Array.from(entities.theme, (theme) => kept.get(theme ?? "") ?? kept.size);
  const hasOthers = lanes.includes(kept.size);
  return { lanes, laneNames: [...full.slice(0, MOST_LANES).map((one) => one.name), ...(hasOthers ? ["everything else"] : [])] };
}

const SPEAKERS = new Set(["user", "the user", "you", "assistant", "me", "i"]);
const HUB_SHARE = 0.3;
const LEAST_FACTS = 10;

/** The entity that ties everything together, if there is one. */
function hubOf(names: readonly string[], factsOf: readonly (readonly number[])[], facts: number): number | null {
  const speaker = names.findIndex((name) => SPEAKERS.has(name.trim().toLowerCase()));
  if (speaker >= 0 && names.length > 1) return speaker;
  const degree = (at: number) => factsOf[at]?.length ?? 0;
  const most = names.reduce((best, _, at) => (degree(at) > degree(best) ? at : best), 0);
  return facts >= LEAST_FACTS && degree(most) >= HUB_SHARE * facts ? most : null;
}

/** What a fact is at a time. */
export type Standing = "unknown" | "planned" | "holding" | "ended" | "wrong";

export function standingAt(graph: Graph, fact: number, at: number): Standing {
  if ((graph.learned[fact] ?? 0) > at) return "unknown";
  if (graph.wrong[fact]) return "wrong";
  if ((graph.ended[fact] ?? 0) <= at) return "ended";
  return (graph.begins[fact] ?? 0) > at ? "planned" : "holding";
}

const inWeek = (moment: number, at: number): boolean => moment <= at && at - moment < WEEK;

/** The facts that were learned, and those that ended, in the week up to a time; newest first. */
export function weekAt(graph: Graph, at: number): { learned: number[]; ended: number[] } {
  const learned: number[] = [];
  const ended: number[] = [];
  for (let fact = 0; fact < graph.factIds.length; fact++) {
    if (inWeek(graph.learned[fact] ?? 0, at)) learned.push(fact);
    if (!graph.wrong[fact] && inWeek(graph.ended[fact] ?? 0, at)) ended.push(fact);
  }
  const newest = (column: Float64Array) => (a: number, b: number) => (column[b] ?? 0) - (column[a] ?? 0);
  return { learned: learned.sort(newest(graph.learned)), ended: ended.sort(newest(graph.ended)) };
}

/** When something was learned or ended last, by a time; null if nothing was. */
export function lastChangeBy(graph: Graph, at: number): number | null {
  let last = -Infinity;
  for (const column of [graph.learned, graph.ended]) for (const moment of column) if (moment <= at && moment > last) last = moment;
  return Number.isFinite(last) ? last : null;
}

export function countsAt(graph: Graph, at: number): { entities: number; holding: number; ended: number } {
  let [entities, holding, ended] = [0, 0, 0];
  for (const first of graph.first) if (first <= at) entities++;
  for (let fact = 0; fact < graph.factIds.length; fact++) {
    const standing = standingAt(graph, fact, at);
    if (standing === "holding") holding++;
    if (standing === "ended") ended++;
  }
  return { entities, holding, ended };
}

/** The other ends of an entity's facts by a time. */
export function neighboursAt(graph: Graph, entity: number, at: number): Set<number> {
  const found = new Set<number>();
  for (const fact of graph.factsOf[entity] ?? []) {
    if ((graph.learned[fact] ?? 0) > at) continue;
    const other = graph.source[fact] === entity ? graph.target[fact] : graph.source[fact];
    if (other !== undefined && other !== entity) found.add(other);
  }
  return found;
}

export const nameOf = (graph: Graph, entity: number | undefined): string => graph.names[entity ?? -1] ?? "";

/** When an entity was heard of last, as far as was known at a time. */
export function heardBy(graph: Graph, entity: number, at: number): number {
  const last = graph.last[entity] ?? 0;
  if (last <= at) return last;
  let heard = graph.first[entity] ?? 0;
  for (const fact of graph.factsOf[entity] ?? []) {
    const learned = graph.learned[fact] ?? 0;
    if (learned <= at && learned > heard) heard = learned;
  }
  return heard;
}

const MOST_KINDS = 4;

/** The kinds that have a colour and a shape: the commonest. */
export function kindsOf(kinds: readonly string[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const kind of kinds) if (kind) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1]).slice(0, MOST_KINDS).map(([kind]) => kind);
}

/** The place of each kind among those; MOST_KINDS for all others. */
function kindNumbersOf(kinds: readonly string[]): Int32Array {
  const shown = kindsOf(kinds);
  return Int32Array.from(kinds, (kind) => (shown.includes(kind) ? shown.indexOf(kind) : MOST_KINDS));
}
