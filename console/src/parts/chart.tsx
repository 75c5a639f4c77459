// A plot over time: uPlot, loaded with the first one. Its title is a sentence; the same figures stand behind it as a table.
import { useEffect, useRef, useState } from "preact/hooks";
import type { Options } from "uplot";
import { clock, isDay, number, percent, shortDay, startOfDay } from "../dates";
import { theme } from "../theme";
import { useScript } from "./late";
import { Trouble } from "./load";

export interface Series {
  name: string;
  values: readonly (number | null)[];
  /** A name of a colour: --new, --ended, --accent. */
  colour: string;
  isBars?: boolean;
  isDots?: boolean;
}

interface ChartProps {
  /** A sentence with the number in it. */
  title: string;
  /** Days, each drawn where it begins in the browser's time zone, or moments. */
  days: readonly string[];
  series: readonly Series[];
  /** A band of the vertical axis that is as it should be, from and to. */
  healthy?: readonly [number, number];
  /** Bands over the whole height, from and to: times as in `days`. */
  spans?: readonly (readonly [string, string])[];
  /** What a band is. */
  band?: string;
  write?: (value: number) => string;
  /** Why there is nothing to draw, and what to do. */
  none?: string;
  /** How a time is said in the table, and what the times are. */
  say?: (at: string) => string;
  column?: string;
}

const HEIGHT = 130;
const DAY = 86_400; // seconds
const AROUND_ONE = 3; // days
const [NARROW, WIDE] = [46, 72]; // of the numbers at its left: with a unit, "1,000 ms" has to fit

export function Chart(props: ChartProps) {
  const [showsTable, setShowsTable] = useState(false);
  const isEmpty = props.series.every((one) => one.values.every((value) => !value));
  return (
    <figure class="chart">
      <figcaption>{props.title}</figcaption>
      {isEmpty ? <p class="quiet small">{props.none ?? "There is nothing to draw yet."}</p> : <Figures {...props} showsTable={showsTable} />}
      {!isEmpty && <button type="button" class="link small" onClick={() => setShowsTable(!showsTable)}>
        {showsTable ? "As a plot" : "As a table"}
      </button>}
    </figure>
  );
}

function Figures({ showsTable, ...props }: ChartProps & { showsTable: boolean }) {
  if (showsTable) return <Table {...props} />;
  return (
    <>
      <Plot {...props} />
      <Legend {...props} />
    </>
  );
}

/** What each colour is, where there is more than one; and what the band is. */
function Legend({ series, healthy, band }: ChartProps) {
  const named = series.length > 1 ? series : [];
  if (!named.length && !band) return null;
  return (
    <p class="legend small quiet">
      {named.map((one) => (
        <span key={one.name}><span class="legend-mark" style={{ background: `var(${one.colour})` }} aria-hidden="true" /> {one.name}</span>
      ))}
      {band && <span><span class="legend-mark is-band" aria-hidden="true" /> {band}{healthy && ` (${healthy.map(percent).join(" to ")})`}</span>}
    </p>
  );
}

const loadUplot = () => import("uplot");

function Plot({ title, days, series, healthy, spans, write }: ChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const colours = theme();
  const script = useScript(loadUplot);
  useEffect(() => {
    const [element, Uplot] = [place.current, script.value?.default];
    if (!element || !Uplot) return;
    const times = days.map((one) => Date.parse(isDay(one) ? startOfDay(one) : one) / 1000);
    const options = optionsOf(Uplot, element, times, series, { healthy, spans }, write);
    const drawn = new Uplot(options, [times, ...series.map((one) => [...one.values])], element);
    const sized = new ResizeObserver(() => drawn.setSize({ width: element.clientWidth, height: HEIGHT }));
    sized.observe(element);
    return () => {
      sized.disconnect();
      drawn.destroy();
    };
  }, [days, series, colours, script.value]);
  return (
    <>
      <div ref={place} class="plot" role="img" aria-label={title} />
      {script.problem && <Trouble problem={script.problem} again={script.again} />}
    </>
  );
}

function optionsOf(
  Uplot: typeof import("uplot"),
  element: HTMLElement,
  times: readonly number[],
  series: readonly Series[],
  { healthy, spans }: Pick<ChartProps, "healthy" | "spans">,
  write: ((value: number) => string) | undefined,
): Options {
  const colour = (name: string) => getComputedStyle(element).getPropertyValue(name).trim();
  const axis = { stroke: colour("--soft"), grid: { stroke: colour("--line"), width: 1 }, ticks: { show: false } };
  return {
    width: element.clientWidth,
    height: HEIGHT,
    legend: { show: false },
    cursor: { show: false },
    scales: { x: { range: around(times, series) } },
    axes: [
      { ...axis, size: 26, values: (_: unknown, all: number[]) => all.map((one, at) => tick(one, all[at - 1])) },
      { ...axis, size: write ? WIDE : NARROW, values: (_: unknown, all: number[]) => all.map(write ?? number) },
    ],
    series: [
      {},
      ...series.map((one) => ({
        label: one.name,
        stroke: colour(one.colour),
        width: one.isBars || one.isDots ? 0 : 2,
        fill: one.isBars ? colour(one.colour) : undefined,
        points: one.isDots || (!one.isBars && hasAlone(one.values)) ? { show: true, size: 5, fill: colour(one.colour) } : { show: false },
        ...(one.isBars ? { paths: Uplot.paths.bars?.({ size: [0.7, 24] }) } : {}),
      })),
    ] as Options["series"],
    hooks: {
      drawClear: [
        (plot: uPlot) => {
          plot.ctx.fillStyle = colour("--accent-soft");
          if (healthy) band(plot, healthy);
          spans?.forEach((one) => span(plot, one));
        },
      ],
    },
  };
}

/** Whether a value has none beside it, so that no line leads to it. */
const hasAlone = (values: Series["values"]): boolean => values.some((one, at) => one !== null && (values[at - 1] ?? null) === null && (values[at + 1] ?? null) === null);

/** From when to when it is drawn: some days around a single one, and half a day more where bars stand at the ends. */
function around(times: readonly number[], series: readonly Series[]): [number, number] {
  const [from, to] = [times[0] ?? 0, times[times.length - 1] ?? 0];
  const days = from === to ? AROUND_ONE : series.some((one) => one.isBars) ? 0.5 : 0;
  return [from - days * DAY, to + days * DAY];
}

/** A day, or the time of a day that was named before; uPlot's own labels have a second line, which would be cut. */
function tick(seconds: number, before: number | undefined): string {
  const at = new Date(seconds * 1000);
  const isSameDay = before !== undefined && new Date(before * 1000).toDateString() === at.toDateString();
  return isSameDay ? clock(at) : shortDay(at);
}

function band(plot: uPlot, [from, to]: readonly [number, number]): void {
  const top = plot.valToPos(to, "y", true);
  plot.ctx.fillRect(plot.bbox.left, top, plot.bbox.width, plot.valToPos(from, "y", true) - top);
}

const NARROWEST = 2; // pixels: a nap in a week is seen, too

function span(plot: uPlot, [from, to]: readonly [string, string]): void {
  const { left, width, top, height } = plot.bbox;
  const at = (time: string) => Math.max(left, Math.min(left + width, plot.valToPos(Date.parse(time) / 1000, "x", true)));
  plot.ctx.fillRect(at(from), top, Math.max(at(to) - at(from), NARROWEST), height);
}

function Table({ title, days, series, write = number, say = String, column = "Day" }: ChartProps) {
  return (
    <div class="plot-table" tabIndex={0} role="region" aria-label={title}>
      <table>
        <thead>
          <tr><th scope="col">{column}</th>{series.map((one) => <th key={one.name} scope="col">{one.name}</th>)}</tr>
        </thead>
        <tbody>
          {days.map((day, at) => (
            <tr key={at}>
              <th scope="row">{say(day)}</th>
              {series.map((one) => <td key={one.name}>{cell(one.values[at], write)}</td>)}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const cell = (value: number | null | undefined, write: (value: number) => string): string =>
  value === null || value === undefined ? "" : write(value);
