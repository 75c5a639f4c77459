// The picture in words: what was learned and ended in the week, or all about who was chosen. Arrows walk it.
import type { Signal } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import { counted } from "../../dates";
import { bind, mention } from "../../keys";
import { Decisions } from "../../parts/correct";
import { Words } from "../../parts/words";
import { to } from "../../router";
import { countsAt, DAY, type Graph, lastChangeBy, nameOf, type Standing, standingAt, weekAt } from "./model";
import type { Looking } from "./state";
import { MOST_ENDED, type Told, useTexts } from "./texts";
import { dayOfSeconds } from "./time_slider";

export interface SideProps {
  mind: string;
  looking: Looking;
  choose: (entity: number | null) => void;
}

export function Side({ mind, looking, choose }: SideProps) {
  const place = useRef<HTMLElement>(null);
  const { graph, chosen } = looking;
  const at = useThrottled(looking.at);
  const texts = useTexts(mind, graph, chosen.value, at);
  useEffect(() => {
    const bound = [
      bind("j", "the next one", () => walk(place.current, 1)),
      bind("k", "the one before", () => walk(place.current, -1)),
      mention("Enter", "choose it"),
      bind("Escape", "choose nothing", () => choose(null)),
    ];
    return () => bound.forEach((end) => end());
  }, [choose]);
  const byArrow = (event: KeyboardEvent) => {
    const by = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    walk(place.current, by);
  };
  const look = (moment: number) => {
    looking.at.value = Math.min(graph.until, moment + DAY);
  };
  const shared = { mind, graph, at, choose, look, texts };
  return (
    <aside ref={place} class="side" aria-label="What is known" onKeyDown={byArrow}>
      {chosen.value === null ? <Week {...shared} /> : <Chosen {...shared} entity={chosen.value} />}
    </aside>
  );
}

function walk(place: HTMLElement | null, by: number): void {
  const buttons = [...(place?.querySelectorAll<HTMLElement>("button.choose") ?? [])];
  const here = buttons.indexOf(document.activeElement as HTMLElement);
  buttons[here < 0 ? 0 : Math.max(0, Math.min(buttons.length - 1, here + by))]?.focus();
}

const STEP_MS = 160;

/** A value that changes quickly, at most every STEP_MS: the list need not follow each step of the slider. */
function useThrottled(source: Signal<number>): number {
  const [value, setValue] = useState(source.peek());
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = source.subscribe(() => {
      timer ??= setTimeout(() => {
        timer = undefined;
        setValue(source.peek());
      }, STEP_MS);
    });
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, [source]);
  return value;
}

interface InWords {
  mind: string;
  graph: Graph;
  at: number;
  choose: (entity: number | null) => void;
  /** Look at the week around a moment. */
  look: (moment: number) => void;
  texts: ReadonlyMap<string, Told>;
}

const MOST_LEARNED = 9;

function Week(shared: InWords) {
  const { graph, at } = shared;
  const counts = countsAt(graph, at);
  const { learned, ended } = weekAt(graph, at);
  const before = learned.length + ended.length ? null : lastChangeBy(graph, at);
  return (
    <>
      <h2>The week up to {dayOfSeconds(at)}</h2>
      <p class="quiet">
        {counted(counts.entities, "person, place or thing", "people, places and things")}; {counted(counts.holding, "fact")} held, {counts.ended} had ended.
      </p>
      {before !== null && (
        <p><button type="button" onClick={() => shared.look(before)}>To the last change, {dayOfSeconds(before)}</button></p>
      )}
      <Group name="Learned" facts={learned} most={MOST_LEARNED} {...shared} />
      <Group name="Ended" facts={ended} most={MOST_ENDED} {...shared} />
      {graph.hub !== null && (
        <p class="small quiet">
          <bdi>{nameOf(graph, graph.hub)}</bdi> is in so many facts that the picture leaves it out.{" "}
          <button type="button" class="link" onClick={() => shared.choose(graph.hub)}>Choose it</button>
        </p>
      )}
    </>
  );
}

interface GroupProps extends InWords {
  name: string;
  facts: readonly number[];
  most: number;
}

function Group({ name, facts, most, ...shared }: GroupProps) {
  const more = facts.length - most;
  return (
    <section>
      <h3>{name} ({facts.length})</h3>
      {facts.length ? (
        <ul class="list">{facts.slice(0, most).map((fact) => <Fact key={fact} fact={fact} {...shared} />)}</ul>
      ) : (
        <p class="quiet small">Nothing in this week.</p>
      )}
      {more > 0 && <p class="quiet small">and {more} more: <a href={to(shared.mind, "facts")}>all facts</a></p>}
    </section>
  );
}

const MOST_OF_CHOSEN = 12;

function Chosen({ entity, ...shared }: InWords & { entity: number }) {
  const { graph, at } = shared;
  const [whole, setWhole] = useState<number | null>(null);
  const facts = (graph.factsOf[entity] ?? [])
    .filter((fact) => (graph.learned[fact] ?? 0) <= at)
    .sort((a, b) => (graph.learned[b] ?? 0) - (graph.learned[a] ?? 0));
  const kind = graph.kinds[entity];
  return (
    <>
      <h2><bdi>{nameOf(graph, entity)}</bdi></h2>
      <p class="quiet">
        {kind && `${kind} · `}first heard of {dayOfSeconds(graph.first[entity] ?? 0)} · {counted(facts.length, "fact")} by {dayOfSeconds(at)}
      </p>
      <p class="row">
        <button type="button" onClick={() => shared.choose(null)}>Back to the week</button>
        <a class="button" href={to(shared.mind, "entity", graph.ids[entity] ?? "")}>All about it</a>
      </p>
      <h3>Facts</h3>
      <ul class="list">{(whole === entity ? facts : facts.slice(0, MOST_OF_CHOSEN)).map((fact) => <Fact key={fact} fact={fact} from={entity} {...shared} />)}</ul>
      {facts.length > MOST_OF_CHOSEN && whole !== entity && (
        <button type="button" onClick={() => setWhole(entity)}>All {facts.length}</button>
      )}
    </>
  );
}

const WORDS: Partial<Record<Standing, string>> = { ended: "ended", planned: "planned from", wrong: "wrong, told" };

function Fact({ fact, from, graph, at, choose, texts }: InWords & { fact: number; from?: number }) {
  const standing = standingAt(graph, fact, at);
  const other = otherEnd(graph, fact, from);
  const names = [nameOf(graph, graph.source[fact]), nameOf(graph, graph.target[fact])];
  const told = texts.get(graph.factIds[fact] ?? "");
  const moment = (standing === "ended" ? graph.ended : standing === "planned" ? graph.begins : graph.learned)[fact] ?? 0;
  const isOver = standing === "ended" || standing === "wrong";
  return (
    <li>
      <Words class={isOver ? "said ended" : "said"} of={told?.text ?? names.join(" → ")} names={names} /> <Decisions of={told?.corrections ?? []} />{" "}
      <span class="small quiet">{WORDS[standing]} {dayOfSeconds(moment)}</span>
      <br />
      <button type="button" class="link small choose" onClick={() => choose(other)}><bdi>{nameOf(graph, other)}</bdi></button>
    </li>
  );
}

/** The end of a fact to go on to: not the one that was come from, and rather not the hub. */
function otherEnd(graph: Graph, fact: number, from: number | undefined): number {
  const [source, target] = [graph.source[fact] ?? 0, graph.target[fact] ?? 0];
  return target === from || (from === undefined && target === graph.hub) ? source : target;
}
