// The picture: a canvas that is drawn anew when something that is looked at changes. The list beside it says the same.
import { effect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { theme } from "../../theme";
import { type Colours, draw } from "./drawing";
import { follow } from "./gestures";
import type { Size } from "./layout";
import type { Looking } from "./state";

export function GraphMap({ looking, choose }: { looking: Looking; choose: (entity: number | null) => void }) {
  const place = useRef<HTMLCanvasElement>(null);
  const latest = useRef(choose);
  latest.current = choose;
  useEffect(() => {
    const canvas = place.current;
    const pen = canvas?.getContext("2d", { alpha: false });
    if (!canvas || !pen) return;
    return show(canvas, pen, looking, (entity) => latest.current(entity));
  }, [looking]);
  const label = "Entities by the time they were first heard of, in lanes of themes. The list beside it says the same in words.";
  return (
    <div class="map">
      <canvas ref={place} role="img" aria-label={label} />
    </div>
  );
}

/** Draw into a canvas until the answer is called. */
function show(
  canvas: HTMLCanvasElement,
  pen: CanvasRenderingContext2D,
  looking: Looking,
  choose: (entity: number | null) => void,
): () => void {
  const size: Size = { wide: 0, high: 0 };
  let colours = coloursOf(canvas);
  let frame = 0;
  const paint = () => {
    frame = 0;
    if (!size.wide || !size.high) return;
    pen.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
    draw(pen, { ...now(looking), size, colours });
  };
  const later = () => {
    frame ||= requestAnimationFrame(paint);
  };
  const sized = new ResizeObserver(() => {
    const box = canvas.parentElement;
    Object.assign(size, { wide: box?.clientWidth ?? 0, high: box?.clientHeight ?? 0 });
    canvas.width = size.wide * devicePixelRatio;
    canvas.height = size.high * devicePixelRatio;
    paint();
  });
  if (canvas.parentElement) sized.observe(canvas.parentElement);
  const ends = [
    follow(canvas, looking, size, choose),
    effect(() => {
      now(looking);
      later();
    }),
    effect(() => {
      theme();
      colours = coloursOf(canvas);
      later();
    }),
  ];
  return () => {
    ends.forEach((end) => end());
    sized.disconnect();
    cancelAnimationFrame(frame);
  };
}

function now({ graph, layout, at, view, chosen, hovered, found, allTies }: Looking) {
  return {
    graph,
    layout,
    at: at.value,
    view: view.value,
    chosen: chosen.value,
    hovered: hovered.value,
    found: found.value,
    allTies: allTies.value,
  };
}

function coloursOf(element: HTMLElement): Colours {
  const style = getComputedStyle(element);
  const named = (name: string) => style.getPropertyValue(name).trim();
  return {
    paper: named("--paper"),
    card: named("--card"),
    ink: named("--ink"),
    soft: named("--soft"),
    line: named("--line"),
    accent: named("--accent"),
    fresh: named("--new"),
    ended: named("--ended"),
    serif: named("--serif"),
    sans: named("--sans"),
    kinds: ["--kind-1", "--kind-2", "--kind-3", "--kind-4"].map(named),
  };
}
