// People, places and things: by how often they are mentioned, by when they were, or by name.
import { useRef, useState } from "preact/hooks";
import { get, type Schemas } from "../../api/client";
import { counted } from "../../dates";
import { DecisionsOfEntity } from "../../parts/entity_decisions";
import { useHappened, Wait } from "../../parts/load";
import { More, usePaged } from "../../parts/paged";
import { SearchBox } from "../../parts/search_box";
import { When } from "../../parts/time";
import { useWalk } from "../../parts/walk";
import { place, setQuery, to } from "../../router";

type Entity = Schemas["EntityOut"];

const SORTS = [
  ["mentions", "Most mentioned"],
  ["recent", "Last mentioned"],
  ["name", "By name"],
] as const;

type Sort = (typeof SORTS)[number][0];

const sortOf = (word: string | null): Sort => SORTS.find(([sort]) => sort === word)?.[0] ?? "mentions";

export function EntityList({ mind }: { mind: string }) {
  const list = useRef<HTMLElement>(null);
  useWalk(list, { Enter: ["open it", "a"] });
  const [kinds, setKinds] = useState<readonly string[]>([]);
  const asked = place.value.query;
  const [words, kind, sort] = [asked.get("q") ?? "", asked.get("kind") ?? "", sortOf(asked.get("sort"))];
  const entities = usePaged<Entity>(
    async (by) => {
      const query = { sort, ...(words ? { query: words } : {}), ...(kind ? { kind } : {}), ...by };
      const found = await get("/v1/minds/{mind_id}/entities", { path: { mind_id: mind }, query });
      setKinds((known) => [...new Set([...known, ...found.items.map((one) => one.kind)])].filter(Boolean).sort());
      return found;
    },
    [mind, words, kind, sort],
  );
  useHappened(["turn.read", "correction.made", "reset"], entities.again);
  return (
    <section ref={list} aria-labelledby="all-entities">
      <h2 id="all-entities" class="only-read">Entities</h2>
      <div class="row filters">
        <SearchBox label="Name" value={words} change={(q) => setQuery({ q })} />
        {(kinds.length > 0 || kind) && (
          <label>
            Kind
            <select value={kind} onChange={(event) => setQuery({ kind: event.currentTarget.value })}>
              <option value="">Any kind</option>
              {[...new Set([...kinds, kind])].filter(Boolean).map((one) => <option key={one} value={one}>{one}</option>)}
            </select>
          </label>
        )}
        <label>
          Order
          <select value={sort} onChange={(event) => setQuery({ sort: event.currentTarget.value })}>
            {SORTS.map(([one, name]) => <option key={one} value={one}>{name}</option>)}
          </select>
        </label>
      </div>
      <Wait of={entities}>
        {(items) =>
          items.length ? (
            <ul class="list">{items.map((one) => <Row key={one.id} mind={mind} of={one} />)}</ul>
          ) : (
            <p class="quiet" role="status">{words || kind ? "Nothing is called that." : "No person, place or thing is known yet."}</p>
          )
        }
      </Wait>
      <More of={entities} one="entity" many="entities" />
    </section>
  );
}

function Row({ mind, of }: { mind: string; of: Entity }) {
  return (
    <li class="entity-row" data-walk tabIndex={-1}>
      <a class="said" href={to(mind, "entity", of.id)}><bdi>{of.called || of.name}</bdi></a>
      {of.kind && <> <span class="badge">{of.kind}</span></>} <DecisionsOfEntity mind={mind} of={of.corrections} />
      <p class="small quiet">
        {counted(of.facts, "fact")}{of.mentions > 0 && <>, told in {counted(of.mentions, "turn")}</>}
        {of.last_at && <>, last <When at={of.last_at} /></>}
      </p>
    </li>
  );
}
