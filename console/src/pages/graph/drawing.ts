// Draws the graph: lanes, months, ties, entities, the moment that is looked at. Names are drawn by labels.ts.
import { dayFormat } from "../../dates";
import { drawLabels, shortened } from "./labels";
import { type Layout, PAD, type Size, type View, xOf, yOf } from "./layout";
import { DAY, type Graph, heardBy, neighboursAt, WEEK } from "./model";

export interface Scene {
  graph: Graph;
  layout: Layout;
  view: View;
  size: Size;
  at: number;
  chosen: number | null;
  hovered: number | null;
  /** What was searched for; all else is faint. */
  found: ReadonlySet<number> | null;
  allTies: boolean;
  colours: Colours;
}

export interface Colours {
  paper: string;
  card: string;
  ink: string;
  soft: string;
  line: string;
  accent: string;
  fresh: string;
  ended: string;
  serif: string;
  sans: string;
  kinds: readonly string[];
}

const FRESH = 60 * DAY;
const FULL_TURN = 2 * Math.PI;

export function draw(pen: CanvasRenderingContext2D, scene: Scene): void {
  const { size, colours, graph, chosen, at } = scene;
  const near = chosen === null ? new Set<number>() : neighboursAt(graph, chosen, at);
  const heard = Float64Array.from(graph.ids, (_, entity) => heardBy(graph, entity, at));
  pen.fillStyle = colours.paper;
  pen.fillRect(0, 0, size.wide, size.high);
  drawLanes(pen, scene);
  drawMonths(pen, scene);
  drawMoment(pen, scene);
  if (scene.allTies && chosen === null) drawAllTies(pen, scene);
  drawTies(pen, scene);
  drawEntities(pen, scene, near, heard);
  drawLabels(pen, scene, { near, heard, lanes: drawLaneNames(pen, scene) });
}

function drawLanes(pen: CanvasRenderingContext2D, { graph, layout, size, colours }: Scene): void {
  pen.strokeStyle = colours.line;
  pen.lineWidth = 1;
  graph.laneNames.forEach((_, lane) => {
    const top = yOf(layout.tops[lane] ?? 0, size);
    line(pen, 0, top, size.wide, top);
  });
}

const LOWEST_NAMED = 30;

/** The names of themes, over what is in them; the answer is where they stand. */
function drawLaneNames(pen: CanvasRenderingContext2D, { graph, layout, size, colours }: Scene): DOMRect[] {
  pen.font = `italic 13px ${colours.serif}`;
  pen.textBaseline = "middle";
  pen.textAlign = "left";
  return graph.laneNames.flatMap((name, lane) => {
    const top = yOf(layout.tops[lane] ?? 0, size);
    const high = yOf(layout.tops[lane + 1] ?? 1, size) - top;
    if (high < LOWEST_NAMED || graph.laneNames.length < 2) return [];
    const shown = shortened(pen, name, size.wide - PAD.left * 2);
    const place = new DOMRect(4, top + 1, pen.measureText(shown).width + 8, 18);
    pen.globalAlpha = 0.8;
    pen.fillStyle = colours.paper;
    pen.fillRect(place.left, place.top, place.width, place.height);
    pen.globalAlpha = 1;
    pen.fillStyle = colours.soft;
    pen.fillText(shown, 8, top + 10);
    return [place];
  });
}

const monthOf = dayFormat({ month: "short" });
const LEAST_BETWEEN = 56;

function drawMonths(pen: CanvasRenderingContext2D, { view, size, colours }: Scene): void {
  pen.strokeStyle = colours.line;
  pen.fillStyle = colours.soft;
  pen.font = `12px ${colours.sans}`;
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  const month = new Date(view.from * 1000);
  month.setDate(1);
  month.setHours(0, 0, 0, 0);
  let lastLabel = -Infinity;
  for (;;) {
    month.setMonth(month.getMonth() + 1);
    if (month.getTime() / 1000 > view.until) return;
    const x = xOf(month.getTime() / 1000, view, size);
    if (x - lastLabel < LEAST_BETWEEN || x > size.wide - 24) continue;
    line(pen, x, PAD.top, x, size.high - PAD.bottom + 3);
    pen.fillText(monthOf(month) + (month.getMonth() === 0 ? ` ${month.getFullYear()}` : ""), x, size.high - 9);
    lastLabel = x;
  }
}

function drawMoment(pen: CanvasRenderingContext2D, { at, view, size, colours }: Scene): void {
  const x = xOf(at, view, size);
  const from = Math.max(0, xOf(at - WEEK, view, size));
  pen.globalAlpha = 0.08;
  pen.fillStyle = colours.accent;
  pen.fillRect(from, PAD.top, Math.max(0, x - from), size.high - PAD.top - PAD.bottom);
  pen.globalAlpha = 1;
  pen.strokeStyle = colours.accent;
  pen.lineWidth = 1.5;
  line(pen, x, PAD.top - 8, x, size.high - PAD.bottom);
}

function line(pen: CanvasRenderingContext2D, x1: number, y1: number, x2: number, y2: number): void {
  pen.beginPath();
  pen.moveTo(x1, y1);
  pen.lineTo(x2, y2);
  pen.stroke();
}

function tie(pen: CanvasRenderingContext2D, scene: Scene, fact: number): void {
  const { graph, layout, view, size, chosen } = scene;
  const [a, b] = [graph.source[fact] ?? 0, graph.target[fact] ?? 0];
  if (chosen !== graph.hub && (a === graph.hub || b === graph.hub)) return;
  const [x1, y1] = [xOf(graph.first[a] ?? 0, view, size), yOf(layout.y[a] ?? 0, size)];
  const [x2, y2] = [xOf(graph.first[b] ?? 0, view, size), yOf(layout.y[b] ?? 0, size)];
  const middle = (x1 + x2) / 2;
  pen.moveTo(x1, y1);
  pen.bezierCurveTo(middle, y1, middle, y2, x2, y2);
}

function drawAllTies(pen: CanvasRenderingContext2D, scene: Scene): void {
  pen.strokeStyle = scene.colours.soft;
  pen.globalAlpha = 0.25;
  pen.lineWidth = 0.6;
  pen.beginPath();
  for (let fact = 0; fact < scene.graph.factIds.length; fact++) if ((scene.graph.learned[fact] ?? 0) <= scene.at) tie(pen, scene, fact);
  pen.stroke();
  pen.globalAlpha = 1;
}

const MANY_TIES = 60;

/** Of the chosen entity all ties, else those of the week: solid what was learned, dashed what ended or is wrong. */
function drawTies(pen: CanvasRenderingContext2D, scene: Scene): void {
  const { graph, chosen, at, colours } = scene;
  const hasEnded = (fact: number) => !graph.wrong[fact] && (graph.ended[fact] ?? 0) <= at;
  const ofWeek = (moment: number | undefined) => moment !== undefined && moment <= at && at - moment < WEEK;
  const candidates = chosen === null ? graph.factIds.keys() : (graph.factsOf[chosen] ?? []);
  const [solid, dashed]: [number[], number[]] = [[], []];
  for (const fact of candidates) {
    if ((graph.learned[fact] ?? 0) > at) continue;
    if (chosen === null && !ofWeek(hasEnded(fact) ? graph.ended[fact] : graph.learned[fact])) continue;
    (graph.wrong[fact] || hasEnded(fact) ? dashed : solid).push(fact);
  }
  for (const [facts, colour, dash] of [[dashed, colours.ended, [4, 3]], [solid, chosen === null ? colours.fresh : colours.accent, []]] as const) {
    pen.strokeStyle = colour;
    pen.lineWidth = facts.length > MANY_TIES ? 0.8 : 1.5;
    pen.setLineDash([...dash]);
    pen.beginPath();
    facts.forEach((fact) => tie(pen, scene, fact));
    pen.stroke();
  }
  pen.setLineDash([]);
}

const LOOKS = { gone: 0.14, faint: 0.4, fresh: 1 } as const;

type Look = keyof typeof LOOKS;

function drawEntities(pen: CanvasRenderingContext2D, scene: Scene, near: ReadonlySet<number>, heard: Float64Array): void {
  const { graph, at, chosen, found, colours } = scene;
  const groups: Record<Look, number[][]> = { gone: [], faint: [], fresh: [] };
  graph.first.forEach((first, entity) => {
    const isNear = entity === chosen || near.has(entity);
    if (first > at || (entity === graph.hub && !isNear)) return;
    const isLit = found ? found.has(entity) : chosen === null || isNear;
    const look = !isLit ? "gone" : isNear || at - (heard[entity] ?? 0) < FRESH ? "fresh" : "faint";
    (groups[look][graph.kindNumbers[entity] ?? 0] ??= []).push(entity);
  });
  for (const look of ["gone", "faint", "fresh"] as const) {
    pen.globalAlpha = LOOKS[look];
    groups[look].forEach((entities, kind) => {
      pen.fillStyle = colours.kinds[kind] ?? colours.soft;
      pen.beginPath();
      entities.forEach((entity) => mark(pen, scene, entity, kind));
      pen.fill();
    });
  }
  pen.globalAlpha = 1;
  if (chosen !== null) ring(pen, scene, chosen);
}

/** A circle, a square, a diamond, a triangle: kinds are told apart without colour too. */
function mark(pen: CanvasRenderingContext2D, { graph, layout, view, size }: Scene, entity: number, kind: number): void {
  const x = xOf(graph.first[entity] ?? 0, view, size);
  if (x < -LEAST_BETWEEN || x > size.wide + LEAST_BETWEEN) return;
  const y = yOf(layout.y[entity] ?? 0, size);
  const radius = layout.radius[entity] ?? 2;
  if (kind === 1) pen.rect(x - radius * 0.9, y - radius * 0.9, radius * 1.8, radius * 1.8);
  else if (kind === 2) polygon(pen, [[x, y - radius * 1.2], [x + radius * 1.2, y], [x, y + radius * 1.2], [x - radius * 1.2, y]]);
  else if (kind === 3) polygon(pen, [[x, y - radius * 1.15], [x + radius * 1.1, y + radius * 0.85], [x - radius * 1.1, y + radius * 0.85]]);
  else {
    pen.moveTo(x + radius, y);
    pen.arc(x, y, radius, 0, FULL_TURN);
  }
}

function polygon(pen: CanvasRenderingContext2D, points: readonly (readonly [number, number])[]): void {
  points.forEach(([x, y], at) => (at ? pen.lineTo(x, y) : pen.moveTo(x, y)));
  pen.closePath();
}

function ring(pen: CanvasRenderingContext2D, { graph, layout, view, size, colours }: Scene, entity: number): void {
  pen.strokeStyle = colours.ink;
  pen.lineWidth = 2;
  pen.beginPath();
  pen.arc(xOf(graph.first[entity] ?? 0, view, size), yOf(layout.y[entity] ?? 0, size), (layout.radius[entity] ?? 2) + 4, 0, FULL_TURN);
  pen.stroke();
}
