// Above the picture: find as you type, what shapes mean, how much of time is seen.
import { useSignal } from "@preact/signals";
import { lastDays, wholeView, zoomed } from "./layout";
import { kindsOf, nameOf } from "./model";
import type { Looking } from "./state";

interface BarProps {
  looking: Looking;
  choose: (entity: number | null) => void;
}

const MOST_FOUND = 6;
const LAST_DAYS = 90;
const CLOSER = 0.6;

export function Find({ looking, choose }: BarProps) {
  const { graph, layout } = looking;
  const words = useSignal("");
  const asked = words.value.trim().toLowerCase();
  const found = asked ? layout.order.filter((one) => nameOf(graph, one).toLowerCase().includes(asked)) : [];
  const type = (text: string) => {
    words.value = text;
    const now = text.trim().toLowerCase();
    looking.found.value = now ? new Set(layout.order.filter((one) => nameOf(graph, one).toLowerCase().includes(now))) : null;
  };
  const take = (entity: number | undefined) => {
    if (entity === undefined) return;
    type("");
    choose(entity);
  };
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    take(found[0]);
  };
  return (
    <form class="find" onSubmit={submit}>
      <input
        type="search"
        placeholder="Find a name"
        aria-label="Find a person, place or thing"
        value={words.value}
        onInput={(event) => type(event.currentTarget.value)}
        onKeyDown={(event) => event.key === "Escape" && type("")}
      />
      {asked && (
        <div class="found">
          <p class="only-read" role="status">{found.length} found</p>
          {found.slice(0, MOST_FOUND).map((one) => (
            <button key={one} type="button" onClick={() => take(one)}><bdi>{nameOf(graph, one)}</bdi></button>
          ))}
          {!found.length && <span class="quiet">Nothing is called that.</span>}
          {found.length > MOST_FOUND && <span class="quiet small">and {found.length - MOST_FOUND} more, lit in the picture</span>}
        </div>
      )}
    </form>
  );
}

export function Seen({ looking }: { looking: Looking }) {
  const { graph, view, allTies } = looking;
  const zoom = (by: number) => {
    view.value = zoomed(view.value, graph, (view.value.from + view.value.until) / 2, by);
  };
  return (
    <div class="row seen">
      <button type="button" aria-pressed={allTies.value} onClick={() => (allTies.value = !allTies.value)}>All ties</button>
      <button type="button" onClick={() => (view.value = wholeView(graph))}>Whole time</button>
      <button type="button" onClick={() => (view.value = lastDays(graph, LAST_DAYS))}>Last 90 days</button>
      <button type="button" aria-label="Closer" onClick={() => zoom(CLOSER)}>+</button>
      <button type="button" aria-label="Farther" onClick={() => zoom(1 / CLOSER)}>−</button>
    </div>
  );
}

const SHAPES = [
  <circle key="0" cx="7" cy="7" r="5" />,
  <rect key="1" x="2.5" y="2.5" width="9" height="9" />,
  <path key="2" d="M7 1l6 6-6 6-6-6z" />,
  <path key="3" d="M7 2l5.5 9.5h-11z" />,
];

export function Legend({ looking }: { looking: Looking }) {
  const kinds = kindsOf(looking.graph.kinds);
  const hasOthers = kinds.length > 0 && looking.graph.kinds.some((kind) => !kinds.includes(kind));
  return (
    <p class="legend small quiet">
      {kinds.map((kind, at) => (
        <span key={kind}><svg class={`kind-${at + 1}`} viewBox="0 0 14 14" aria-hidden="true">{SHAPES[at]}</svg> <bdi>{kind}</bdi></span>
      ))}
      {hasOthers && <span><svg viewBox="0 0 14 14" aria-hidden="true">{SHAPES[0]}</svg> other</span>}
      <span>larger: mentioned more · faint: not heard of in 60 days</span>
    </p>
  );
}
