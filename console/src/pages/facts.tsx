// All that it knows, as a list: facts, and the entities that they are about.
import { hasModel } from "../api/chat";
import { get } from "../api/client";
import { endOfDay, isDay, startOfDay } from "../dates";
import { FactList, StateSelect, stateOf, useFacts } from "../parts/fact_list";
import { useHappened, useLoaded } from "../parts/load";
import { SearchBox } from "../parts/search_box";
import { place, setQuery, to } from "../router";
import { EntityList } from "./facts/entity_list";
import { PutRight } from "./facts/put_right";
import { SaySomething } from "./facts/say";

const VIEWS = [
  ["", "Facts", AllFacts],
  ["entities", "Entities", EntityList],
  ["corrections", "Put right", PutRight],
] as const;

export default function Facts({ mind }: { mind: string }) {
  const view = VIEWS.find(([name]) => name === place.value.query.get("show")) ?? VIEWS[0];
  const [shown, , List] = view;
  return (
    <section class="page facts-page">
      <h1>What it knows</h1>
      <div class="row between">
        <nav class="choice" aria-label="What is listed">
          {VIEWS.map(([show, name]) => (
            <a key={show} class="button" href={to(mind, "facts", "", show ? { show } : {})} aria-current={show === shown ? "true" : undefined}>
              {name}
            </a>
          ))}
          <a class="button" href={to(mind, "graph")}>As a picture in time</a>
        </nav>
        <SaySomething mind={mind} />
      </div>
      <List mind={mind} />
    </section>
  );
}

function AllFacts({ mind }: { mind: string }) {
  const asked = place.value.query;
  const state = stateOf(asked.get("state"));
  const words = asked.get("q") ?? "";
  const since = dayOf(asked.get("since"));
  const until = dayOf(asked.get("until"));
  const facts = useFacts(mind, {
    state,
    query: words,
    since: since && startOfDay(since),
    until: until && endOfDay(until),
  });
  const isFiltered = Boolean(words || state || since || until);
  return (
    <section aria-labelledby="all-facts">
      <h2 id="all-facts" class="only-read">Facts</h2>
      <div class="row filters">
        <SearchBox label="Words" value={words} change={(q) => setQuery({ q })} />
        <StateSelect value={state} change={(one) => setQuery({ state: one })} />
        <label>Told from<input type="date" value={since} onChange={(event) => setQuery({ since: event.currentTarget.value })} /></label>
        <label>Told until<input type="date" value={until} onChange={(event) => setQuery({ until: event.currentTarget.value })} /></label>
        {isFiltered && (
          <button type="button" onClick={() => setQuery({ q: "", state: "", since: "", until: "" })}>Show all</button>
        )}
      </div>
      <FactList mind={mind} facts={facts} none={isFiltered ? "No fact is like that." : <NothingKnown mind={mind} />} />
    </section>
  );
}

function NothingKnown({ mind }: { mind: string }) {
  const standing = useLoaded(() => get("/v1/minds/{mind_id}", { path: { mind_id: mind } }), [mind]);
  const model = useLoaded(hasModel, []);
  useHappened(["turn.read"], standing.again);
  const isRead = standing.value !== undefined && standing.value.turns > 0 && standing.value.graph.lag === 0;
  if (!isRead || model.value !== false) return <>Nothing is known yet. Facts come when turns are read.</>;
  return (
    <>
      All turns are read, and no fact was found: without a model, a fact is a sentence with a name in it, and a name is
      found by its capital letters or its quotation marks, so not in scripts without capitals such as Arabic, Chinese or Hindi.
    </>
  );
}

const dayOf = (word: string | null): string => (word && isDay(word) ? word : "");
