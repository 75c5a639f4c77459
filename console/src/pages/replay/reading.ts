// A conversation as it is read: its turns by page, older and newer, and the traces beside them.
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { get, Problem, type Schemas } from "../../api/client";
import { type Trace, tracesOf } from "../../api/trace";
import { asProblem } from "../../parts/load";

export type Turn = Schemas["TurnOut"];

export interface Reading {
  /** Oldest first. */
  turns: readonly Turn[];
  /** The trace of each turn that has one, by its sequence. */
  traces: ReadonlyMap<number, Trace>;
  /** Calls whose turn was not kept. */
  alone: readonly Trace[];
  hasOlder: boolean;
  hasNewer: boolean;
}

const PAGE = 50;
const AROUND = 20;
const MOST_TRACE_PAGES = 5;
const HOUR_MS = 3_600_000;
const NOTHING: Reading = { turns: [], traces: new Map(), alone: [], hasOlder: false, hasNewer: false };

interface Read extends Reading {
  isLoading: boolean;
  problem: Problem | undefined;
  /** Ask once more for what was refused. */
  again: () => void;
  older: () => void;
  newer: () => void;
  /** Read those of the newest page that are shown anew: one may have been read meanwhile. */
  renew: () => void;
}

/** Read a conversation around *turn*, else from its newest page back. */
export function useReading(mind: string, session: string, turn: string): Read {
  const [found, setFound] = useState<Reading>(NOTHING);
  const [isLoading, setLoading] = useState(true);
  const [problem, setProblem] = useState<Problem>();
  const present = useRef("");
  const refused = useRef<() => Promise<Partial<Reading>>>(undefined);
  present.current = `${mind} ${session}`;
  const load = useCallback(
    async (page: () => Promise<Partial<Reading>>) => {
      const asked = present.current;
      setLoading(true);
      try {
        const more = await page();
        if (asked !== present.current) return;
        setFound((now) => joined(now, more));
        setProblem(undefined);
      } catch (error) {
        if (asked !== present.current) return;
        refused.current = page;
        setProblem(asProblem(error));
      }
      setLoading(false);
    },
    [mind, session],
  );
  useEffect(() => {
    setFound(NOTHING);
    void load(() => firstPage(mind, session, turn));
  }, [mind, session]);
  const again = useCallback(() => void (refused.current && load(refused.current)), [load]);
  const [oldest, newest] = [found.turns[0], found.turns.at(-1)];
  return {
    ...found,
    isLoading,
    problem,
    again,
    older: () => void (oldest && load(() => pageBefore(mind, session, oldest.sequence))),
    newer: () => void load(() => pageAfter(mind, session, newest?.sequence ?? 0)),
    renew: () => void load(() => renewed(mind, session, found.turns)),
  };
}

async function firstPage(mind: string, session: string, turn: string): Promise<Partial<Reading>> {
  const wanted = turn ? await turnOf(mind, turn) : null;
  if (!wanted) return pageBefore(mind, session, undefined);
  const before = await pageBefore(mind, session, wanted.sequence + 1, AROUND);
  const after = await pageAfter(mind, session, wanted.sequence);
  return { ...joined(joined(NOTHING, before), after), hasOlder: before.hasOlder ?? false, hasNewer: after.hasNewer ?? false };
}

const turnOf = (mind: string, turn: string): Promise<Turn | null> =>
  get("/v1/minds/{mind_id}/turns/{turn_id}", { path: { mind_id: mind, turn_id: turn } }).catch(() => null);

async function pageBefore(mind: string, session: string, before: number | undefined, limit = PAGE): Promise<Partial<Reading>> {
  const query = { session_id: session, limit, ...(before === undefined ? {} : { before }) };
  const found = await get("/v1/minds/{mind_id}/turns", { path: { mind_id: mind }, query });
  const turns = [...found.items].reverse();
  return { turns, ...(await tracesBeside(mind, session, turns)), hasOlder: found.next_cursor !== null };
}

async function pageAfter(mind: string, session: string, after: number): Promise<Partial<Reading>> {
  const query = { session_id: session, limit: PAGE, after };
  const found = await get("/v1/minds/{mind_id}/turns", { path: { mind_id: mind }, query });
  return { turns: found.items, ...(await tracesBeside(mind, session, found.items)), hasNewer: found.next_cursor !== null };
}

/** The newest of *turns* as they stand now; what lies beside them is as it was. */
async function renewed(mind: string, session: string, turns: readonly Turn[]): Promise<Partial<Reading>> {
  const newest = turns.at(-1);
  if (!newest) return {};
  const query = { session_id: session, limit: PAGE, before: newest.sequence + 1 };
  const { items } = await get("/v1/minds/{mind_id}/turns", { path: { mind_id: mind }, query });
  const known = new Set(turns.map((one) => one.sequence));
  return { turns: items.filter((one) => known.has(one.sequence)) };
}

function joined(now: Reading, more: Partial<Reading>): Reading {
  const known = new Map([...now.turns, ...(more.turns ?? [])].map((one) => [one.sequence, one]));
  return {
    turns: [...known.values()].sort((a, b) => a.sequence - b.sequence),
    traces: new Map([...now.traces, ...(more.traces ?? [])]),
    alone: [...new Map([...now.alone, ...(more.alone ?? [])].map((one) => [one.trace_id, one])).values()],
    hasOlder: more.hasOlder ?? now.hasOlder,
    hasNewer: more.hasNewer ?? now.hasNewer,
  };
}

/** The traces of the time in which *turns* were said, each with its turn. */
async function tracesBeside(mind: string, session: string, turns: readonly Turn[]): Promise<Pick<Reading, "traces" | "alone">> {
  const times = turns.flatMap((one) => [Date.parse(one.occurred_at), Date.parse(one.accepted_at)]);
  if (!times.length) return { traces: new Map(), alone: [] };
  const since = new Date(Math.min(...times) - HOUR_MS).toISOString();
  const before = new Date(Math.max(...times) + HOUR_MS).toISOString();
  const all: Trace[] = [];
  let cursor: string | null = null;
  for (let page = 0; page < MOST_TRACE_PAGES; page++) {
    const found = await tracesOf(mind, { session_id: session, since, before, limit: 100, ...(cursor ? { cursor } : {}) });
    all.push(...found.traces);
    cursor = found.next;
    if (!cursor) break;
  }
  return matched(turns, all);
}

/** Each turn with its trace: by its id, else by the same words at about the same time. */
function matched(turns: readonly Turn[], traces: readonly Trace[]): Pick<Reading, "traces" | "alone"> {
  const left = new Map(traces.map((one) => [one.trace_id, one]));
  const found = new Map<number, Trace>();
  const take = (turn: Turn, trace: Trace | undefined) => {
    if (!trace) return;
    found.set(turn.sequence, trace);
    left.delete(trace.trace_id);
  };
  for (const turn of turns) take(turn, left.get(turn.trace_id ?? ""));
  for (const turn of turns) if (!found.has(turn.sequence)) take(turn, nearest(turn, [...left.values()]));
  const known = new Set(turns.map((one) => one.trace_id));
  return { traces: found, alone: [...left.values()].filter((one) => !known.has(one.trace_id)) };
}

function nearest(turn: Turn, traces: readonly Trace[]): Trace | undefined {
  const words = turn.messages.filter((one) => one.role === "user").at(-1)?.content.trim();
  const apart = (one: Trace) =>
    Math.min(...[turn.occurred_at, turn.accepted_at].map((at) => Math.abs(Date.parse(one.at) - Date.parse(at))));
  const same = traces.filter((one) => words && one.message.trim() === words && apart(one) < HOUR_MS);
  return same.sort((a, b) => apart(a) - apart(b))[0];
}
