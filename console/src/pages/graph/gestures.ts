// Pointers over the picture: one drags time, two pinch it, a wheel zooms it, a click chooses.
import { entityAt, moved, type Size, timeAt, zoomed } from "./layout";
import type { Looking } from "./state";

const A_CLICK = 5;
const WHEEL = 400;

interface Point {
  x: number;
  y: number;
}

/** Follow pointers on a canvas until the answer is called. */
export function follow(canvas: HTMLCanvasElement, looking: Looking, size: Size, choose: (entity: number | null) => void): () => void {
  const { graph, layout, view, at, hovered } = looking;
  const down = new Map<number, Point>();
  let travelled = 0;
  const ended = new AbortController();
  const on = { signal: ended.signal };
  const entityUnder = ({ x, y }: Point) => entityAt(graph, layout, view.value, size, at.value, x, y);
  const pointOf = (event: MouseEvent): Point => {
    const box = canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  const drag = (before: Point, after: Point) => {
    view.value = moved(view.value, graph, timeAt(before.x, view.value, size) - timeAt(after.x, view.value, size));
  };
  const pinch = (pointer: number, after: Point) => {
    const other = [...down].find(([id]) => id !== pointer)?.[1];
    const before = down.get(pointer);
    if (!other || !before) return;
    const by = Math.max(1, Math.abs(before.x - other.x)) / Math.max(1, Math.abs(after.x - other.x));
    view.value = zoomed(view.value, graph, timeAt((after.x + other.x) / 2, view.value, size), by);
  };
  const letGo = (event: PointerEvent) => {
    const wasOne = down.size === 1;
    if (down.delete(event.pointerId) && wasOne && event.type === "pointerup" && travelled < A_CLICK) choose(entityUnder(pointOf(event)));
  };
  canvas.addEventListener("pointerdown", (event) => {
    if (!down.size) travelled = 0;
    down.set(event.pointerId, pointOf(event));
    canvas.setPointerCapture(event.pointerId);
  }, on);
  canvas.addEventListener("pointermove", (event) => {
    const after = pointOf(event);
    const before = down.get(event.pointerId);
    if (!before) {
      hovered.value = entityUnder(after);
      return;
    }
    travelled += Math.abs(after.x - before.x) + Math.abs(after.y - before.y);
    if (down.size > 1) pinch(event.pointerId, after);
    else if (travelled >= A_CLICK) drag(before, after);
    down.set(event.pointerId, after);
  }, on);
  canvas.addEventListener("pointerup", letGo, on);
  canvas.addEventListener("pointercancel", letGo, on);
  canvas.addEventListener("pointerleave", () => (hovered.value = null), on);
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    view.value = zoomed(view.value, graph, timeAt(pointOf(event).x, view.value, size), Math.exp(event.deltaY / WHEEL));
  }, { passive: false, ...on });
  return () => ended.abort();
}
