// Two plots of what the kept traces tell: how old what comes up is, and what was held back.
import { type Trace, tracesOf } from "../../api/trace";
import { counted, dayOfField, moment } from "../../dates";
import { Chart } from "../../parts/chart";
import { useLoaded, Wait } from "../../parts/load";
import { filterName } from "../../parts/why/words";

const NEWEST = 100;
const DAYS = 90;
const DAY_MS = 86_400_000;
const MOST_REASONS = 4;
const COLOURS = ["--kind-1", "--kind-2", "--kind-3", "--kind-4"];

/** The newest calls of the days that all of the plots are about. */
const lately = () => ({ since: new Date(Date.now() - DAYS * DAY_MS).toISOString(), limit: NEWEST });

export function WhatSurfaces({ mind }: { mind: string }) {
  const found = useLoaded(() => tracesOf(mind, { surfaced: true, ...lately() }), [mind]);
  return (
    <Wait of={found}>
      {({ traces }) => {
        const came = traces.flatMap(agesOf).sort((a, b) => a.at.localeCompare(b.at));
        const oldest = Math.max(0, ...came.map((one) => one.days));
        const title = came.length ? `The oldest memory that came up was ${counted(Math.round(oldest), "day")} old.` : "Nothing came up.";
        const series = [{ name: "Age in days", values: came.map((one) => one.days), colour: "--accent", isDots: true }];
        return <Chart title={title} days={came.map((one) => one.at)} series={series} say={moment} column="Asked" />;
      }}
    </Wait>
  );
}

function agesOf(trace: Trace): { at: string; days: number }[] {
  const known = new Map(trace.phases.retrieval?.candidates?.map((one) => [one.id, one.occurred_at]));
  return trace.shown.flatMap(({ id }) => {
    const occurred = known.get(id);
    return occurred ? [{ at: trace.at, days: (Date.parse(trace.at) - Date.parse(occurred)) / DAY_MS }] : [];
  });
}

export function HeldBack({ mind }: { mind: string }) {
  const found = useLoaded(() => tracesOf(mind, lately()), [mind]);
  return (
    <Wait of={found}>
      {({ traces }) => {
        const days = [...new Set(traces.map((one) => dayOfField(one.at)))].sort();
        const dropped = traces.flatMap((trace) =>
          Object.values(trace.phases.filters?.dropped ?? {}).map((reason) => ({ day: dayOfField(trace.at), reason: filterName(reason) })),
        );
        const series = commonest(dropped.map((one) => one.reason)).map((reason, at) => ({
          name: reason,
          values: days.map((day) => dropped.filter((one) => one.day === day && one.reason === reason).length),
          colour: COLOURS[at] ?? "--soft",
        }));
        const title = dropped.length
          ? `In the last ${counted(traces.length, "answer")} it held back ${counted(dropped.length, "memory", "memories")}, most of them: ${series[0]?.name.toLowerCase()}.`
          : "Nothing was held back.";
        return <Chart title={title} days={days} series={series} />;
      }}
    </Wait>
  );
}

function commonest(reasons: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const one of reasons) counts.set(one, (counts.get(one) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1]).slice(0, MOST_REASONS).map(([reason]) => reason);
}
