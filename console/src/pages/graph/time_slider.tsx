// The moment that is looked at: a slider under bars of what was learned and what ended, and a button that plays it.
import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { counted, day } from "../../dates";
import { DAY, type Graph, WEEK } from "./model";
import type { Looking } from "./state";

export const dayOfSeconds = (at: number): string => day(new Date(at * 1000));

const TICK_MS = 60;
const CALM_TICK_MS = 500;
const TICKS = 240;

export function TimeSlider({ looking }: { looking: Looking }) {
  const { graph, at } = looking;
  const playing = useSignal(false);
  const days = Math.max(1, Math.ceil((graph.until - graph.since) / DAY));
  const value = at.value >= graph.until ? days : Math.round((at.value - graph.since) / DAY);
  const move = (to: number) => {
    at.value = Math.min(graph.until, graph.since + to * DAY);
  };
  const isPlaying = playing.value;
  const bars = useMemo(() => <Bars graph={graph} />, [graph]); // the same node is not compared again at every step
  useEffect(() => {
    if (!isPlaying) return;
    const isCalm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const step = isCalm ? WEEK : Math.max(DAY, (graph.until - graph.since) / TICKS);
    const timer = setInterval(() => {
      at.value = Math.min(graph.until, at.value + step);
      if (at.value >= graph.until) playing.value = false;
    }, isCalm ? CALM_TICK_MS : TICK_MS);
    return () => clearInterval(timer);
  }, [isPlaying, graph]);
  const play = () => {
    if (!isPlaying && at.value >= graph.until) at.value = graph.since;
    playing.value = !isPlaying;
  };
  return (
    <section class="time" aria-label="Time">
      {bars}
      <input
        type="range"
        aria-label="As of"
        aria-valuetext={dayOfSeconds(at.value)}
        min={0}
        max={days}
        value={value}
        onInput={(event) => move(Number(event.currentTarget.value))}
      />
      <div class="ends">
        <span class="small quiet">{dayOfSeconds(graph.since)}</span>
        <span class="when">
          <button type="button" onClick={play}>{isPlaying ? "Pause" : "Play"}</button> <b class="said">{dayOfSeconds(at.value)}</b>
        </span>
        <span class="small quiet">{dayOfSeconds(graph.until)}</span>
      </div>
    </section>
  );
}

const HIGH = 44;
const GROUND = 31;

function Bars({ graph }: { graph: Graph }) {
  const { learned, ended } = useMemo(() => weeksOf(graph), [graph]);
  const most = Math.max(1, ...learned, ...ended);
  const label = `Facts learned and ended each week; at most ${counted(Math.max(0, ...learned), "fact")} learned in one.`;
  const high = (count: number, room: number) => (count ? Math.max(1.5, (count / most) * room) : 0);
  return (
    <svg class="bars" viewBox={`0 0 ${learned.length} ${HIGH}`} preserveAspectRatio="none" role="img" aria-label={label}>
      {learned.map((count, at) => <rect key={at} class="is-learned" x={at + 0.12} width={0.76} y={GROUND - high(count, 29)} height={high(count, 29)} />)}
      {ended.map((count, at) => <rect key={at} class="is-ended" x={at + 0.12} width={0.76} y={GROUND + 2} height={high(count, 11)} />)}
    </svg>
  );
}

function weeksOf(graph: Graph): { learned: readonly number[]; ended: readonly number[] } {
  const weeks = Math.max(1, Math.ceil((graph.until - graph.since) / WEEK));
  const count = (column: Float64Array) => {
    const counts = Array.from({ length: weeks }, () => 0);
    for (const moment of column) {
      const week = Math.min(weeks - 1, Math.max(0, Math.floor((moment - graph.since) / WEEK)));
      if (moment <= graph.until) counts[week] = (counts[week] ?? 0) + 1;
    }
    return counts;
  };
  return { learned: count(graph.learned), ended: count(graph.ended) };
}
