// Names beside entities: the most mentioned first, at most 22, none touching another.
import type { Scene } from "./drawing";
import { PAD, xOf, yOf } from "./layout";
import { DAY, nameOf, WEEK } from "./model";

const MOST = 22;
const LATELY = 120 * DAY;
const HIGH = 18;
const WIDEST = 190;

const MOST_TRIED = 160;

/** What the drawing found out before the labels. */
interface Known {
  near: ReadonlySet<number>;
  /** When each entity was heard of last. */
  heard: Float64Array;
  /** Where names of lanes stand. */
  lanes: readonly DOMRect[];
}

export function drawLabels(pen: CanvasRenderingContext2D, scene: Scene, known: Known): void {
  pen.font = `13px ${scene.colours.sans}`;
  pen.textAlign = "left";
  pen.textBaseline = "middle";
  const taken = [...known.lanes];
  let left = MOST;
  for (const entity of wanted(scene, known).slice(0, MOST_TRIED)) {
    if (!left) break;
    const { text, wide } = measured(pen, nameOf(scene.graph, entity));
    const place = freePlace(scene, entity, wide, taken);
    if (!place) continue;
    taken.push(place);
    left--;
    write(pen, scene, text, place);
  }
  if (scene.hovered !== null) drawHovered(pen, scene, scene.hovered);
}

interface Measured {
  text: string;
  wide: number;
}

const MOST_KEPT = 5000;
const kept = new Map<string, Measured>();

/** A name as a label, and how wide it is: measuring is slow, and names are drawn again and again. */
function measured(pen: CanvasRenderingContext2D, name: string): Measured {
  const before = kept.get(name);
  if (before) return before;
  if (kept.size > MOST_KEPT) kept.clear();
  const text = shortened(pen, name, WIDEST);
  const made = { text, wide: pen.measureText(text).width };
  kept.set(name, made);
  return made;
}

function wanted({ graph, layout, at, chosen, found, view }: Scene, { near, heard }: Known): readonly number[] {
  const isSeen = (entity: number) => {
    const first = graph.first[entity] ?? 0;
    return first <= at && first >= view.from && first <= view.until;
  };
  if (chosen !== null) return [chosen, ...layout.order.filter((one) => near.has(one) && one !== chosen)];
  if (found) return layout.order.filter((one) => found.has(one) && isSeen(one));
  const since = (entity: number) => at - (heard[entity] ?? 0);
  const seen = layout.order.filter((one) => one !== graph.hub && isSeen(one));
  const lately = seen.filter((one) => since(one) < LATELY);
  return [...new Set([...lately.filter((one) => since(one) < WEEK).slice(0, MOST / 2), ...lately, ...seen])];
}

/** Right of the entity, else left of it, else above or below on either side, else nowhere. */
function freePlace(scene: Scene, entity: number, wide: number, taken: readonly DOMRect[]): DOMRect | null {
  const { graph, layout, view, size } = scene;
  const [x, y] = [xOf(graph.first[entity] ?? 0, view, size), yOf(layout.y[entity] ?? 0, size)];
  if (x < 0 || x > size.wide) return null;
  const gap = (layout.radius[entity] ?? 2) + 5;
  const rows = [0, -HIGH * 0.8, HIGH * 0.8].map((by) => y - HIGH / 2 + by);
  const places = rows.flatMap((top) => [x + gap, x - gap - wide].map((left) => new DOMRect(left, top, wide, HIGH)));
  const fits = (one: DOMRect) => one.left >= 4 && one.right <= size.wide - 4 && one.top >= 0 && one.bottom <= size.high - PAD.bottom;
  return places.find((one) => fits(one) && !taken.some((other) => touch(one, other))) ?? null;
}

const touch = (a: DOMRect, b: DOMRect): boolean => a.left < b.right + 6 && b.left < a.right + 6 && a.top < b.bottom && b.top < a.bottom;

function write(pen: CanvasRenderingContext2D, { colours }: Scene, name: string, place: DOMRect): void {
  pen.globalAlpha = 0.8;
  pen.fillStyle = colours.paper;
  pen.fillRect(place.left - 2, place.top, place.width + 4, place.height);
  pen.globalAlpha = 1;
  pen.fillStyle = colours.ink;
  pen.fillText(name, place.left, place.top + HIGH / 2);
}

function drawHovered(pen: CanvasRenderingContext2D, { graph, layout, view, size, colours }: Scene, entity: number): void {
  const name = shortened(pen, nameOf(graph, entity), size.wide - 40);
  const wide = pen.measureText(name).width;
  const x = Math.max(8, Math.min(xOf(graph.first[entity] ?? 0, view, size) + 12, size.wide - wide - 18));
  const y = Math.max(16, yOf(layout.y[entity] ?? 0, size));
  pen.fillStyle = colours.card;
  pen.strokeStyle = colours.accent;
  pen.lineWidth = 1.5;
  pen.beginPath();
  pen.roundRect(x - 7, y - 14, wide + 14, 28, 7);
  pen.fill();
  pen.stroke();
  pen.fillStyle = colours.ink;
  pen.fillText(name, x, y);
}

/** A text as long as there is room for it. */
export function shortened(pen: CanvasRenderingContext2D, text: string, room: number): string {
  if (pen.measureText(text).width <= room) return text;
  let letters = [...text].slice(0, 120);
  while (letters.length > 1 && pen.measureText(`${letters.join("")}…`).width > room) letters = letters.slice(0, -1);
  return `${letters.join("").trimEnd()}…`;
}
