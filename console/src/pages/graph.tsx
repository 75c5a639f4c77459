// The graph in time: when each entity was first heard of, what was learned and what ended in a week, in words and as a picture.
import { effect } from "@preact/signals";
import { useCallback, useEffect, useMemo, useRef } from "preact/hooks";
import { get } from "../api/client";
import { counted } from "../dates";
import { useHappened, useLoaded, Wait } from "../parts/load";
import { place, setQuery, to } from "../router";
import { Find, Legend, Seen } from "./graph/bar";
import { wholeView } from "./graph/layout";
import { GraphMap } from "./graph/map";
import { type Graph, graphOf } from "./graph/model";
import { Side } from "./graph/side";
import { chosenOf, dayOf, type Looking, lookingAt, momentOf } from "./graph/state";
import { TimeSlider } from "./graph/time_slider";

export default function GraphPage({ mind }: { mind: string }) {
  const answer = useLoaded(() => get("/v1/minds/{mind_id}/graph", { path: { mind_id: mind } }), [mind]);
  useHappened(["turn.read", "correction.made", "reset"], answer.again);
  const graph = useMemo(() => answer.value && graphOf(answer.value, Date.now() / 1000), [answer.value]);
  return (
    <section class="graph-page">
      <h1 class="only-read">Graph</h1>
      <Wait of={answer}>{() => graph && (graph.ids.length ? <InTime mind={mind} graph={graph} /> : <Empty mind={mind} />)}</Wait>
    </section>
  );
}

function Empty({ mind }: { mind: string }) {
  return (
    <div class="page">
      <p class="lead">Nobody and nothing is known yet.</p>
      <p>People, places and things appear here when turns are read. <a href={to(mind, "talk")}>Talk to it</a>, or <a href={to(mind)}>see how far it is</a>.</p>
    </div>
  );
}

const SETTLED_MS = 400;

function InTime({ mind, graph }: { mind: string; graph: Graph }) {
  const before = useRef<Looking | undefined>(undefined);
  const looking = useMemo(() => {
    const now = lookingAt(graph, place.peek().query);
    if (before.current) now.view.value = before.current.view.peek();
    before.current = now;
    return now;
  }, [graph]);
  useAddressOf(looking);
  useEffect(() => followAddress(looking), [looking]);
  const choose = useCallback((entity: number | null) => {
    looking.chosen.value = entity;
    if (entity !== null) see(looking, entity);
    setQuery({ chosen: entity === null ? "" : (graph.ids[entity] ?? "") });
  }, [looking]);
  return (
    <>
      <div class="find-bar">
        <Find looking={looking} choose={choose} />
        <Seen looking={looking} />
        <Legend looking={looking} />
      </div>
      <TimeSlider looking={looking} />
      <div class="beside-map">
        <Side mind={mind} looking={looking} choose={choose} />
        <p class="small quiet"><LeftOut of={graph} /> <a href={to(mind, "facts")}>All facts as a list</a></p>
      </div>
      <GraphMap looking={looking} choose={choose} />
    </>
  );
}

function LeftOut({ of }: { of: Graph }) {
  const { entities, facts } = of.leftOut;
  if (!entities && !facts) return null;
  return (
    <>
      The picture holds the {counted(of.ids.length, "most mentioned entity", "most mentioned entities")};{" "}
      {counted(entities, "entity is", "entities are")} left out, and {counted(facts, "fact")}.
    </>
  );
}

/** Make sure that an entity is in sight: at a time when it was known, in a part of time that holds it. */
function see({ graph, at, view }: Looking, entity: number): void {
  const first = graph.first[entity] ?? graph.since;
  if (first > at.value) at.value = first;
  if (first < view.value.from || first > view.value.until) view.value = wholeView(graph);
}

/** The address follows the slider when it rests. */
function useAddressOf(looking: Looking): void {
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = effect(() => {
      const day = dayOf(looking.graph, looking.at.value);
      clearTimeout(timer);
      timer = setTimeout(() => {
        if ((place.peek().query.get("at") ?? "") !== day) setQuery({ at: day });
      }, SETTLED_MS);
    });
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, [looking]);
}

/** What is looked at follows an address that is opened while the page is open: a link, Back, or one that is typed. */
function followAddress({ graph, at, chosen }: Looking): () => void {
  let [seenDay, seenId] = [place.peek().query.get("at"), place.peek().query.get("chosen")];
  return effect(() => {
    const { page, query } = place.value;
    const [day, id] = [query.get("at"), query.get("chosen")];
    if (page !== "graph") return;
    if (day !== seenDay && (day ?? "") !== dayOf(graph, at.peek())) at.value = momentOf(graph, day);
    if (id !== seenId) chosen.value = chosenOf(graph, id);
    [seenDay, seenId] = [day, id];
  });
}
