// One person, place or thing: what is known of it, since when, who says so, and what stands around it.
import { get, type Schemas } from "../api/client";
import { counted } from "../dates";
import { CorrectionButtons, LONGEST_EDIT } from "../parts/correct";
import { DecisionsOfEntity } from "../parts/entity_decisions";
import { Name } from "../parts/fact";
import { useHappened, useLoaded, Wait } from "../parts/load";
import { When } from "../parts/time";
import { place, to } from "../router";
import { EntityCorrections } from "./entity/corrections";
import { EntityFacts } from "./entity/facts";
import { Mentions } from "./entity/mentions";

export type Entity = Schemas["EntityDetailOut"];

export default function EntityPage({ mind }: { mind: string }) {
  const id = place.value.part;
  const path = { mind_id: mind, entity_id: id };
  const found = useLoaded(() => get("/v1/minds/{mind_id}/entities/{entity_id}", { path }), [mind, id]);
  useHappened(["turn.read", "correction.made", "reset"], found.again);
  return (
    <section class="page entity-page">
      <Wait of={found}>{(entity) => <Whole key={id} mind={mind} entity={entity} again={found.again} />}</Wait>
      {found.problem && <p><a href={to(mind, "facts", "", { show: "entities" })}>All entities</a></p>}
    </section>
  );
}

function Whole({ mind, entity, again }: { mind: string; entity: Entity; again: () => void }) {
  const words = entity.summary.length <= LONGEST_EDIT ? { words: entity.summary } : {};
  return (
    <>
      <Head mind={mind} entity={entity} />
      <div class="actions-line">
        <CorrectionButtons
          mind={mind}
          target={{ kind: "entity", id: entity.id, turn_ids: [] }}
          decided={entity.corrections}
          then={again}
          {...words}
        />
        <EntityCorrections mind={mind} entity={entity} again={again} />
      </div>
      <EntityFacts mind={mind} entity={entity} />
      <div class="two">
        <Neighbours mind={mind} entity={entity} />
        <div>
          <Mentions months={entity.mentions_by_month} />
          <Lookalikes mind={mind} entity={entity} />
        </div>
      </div>
    </>
  );
}

function Head({ mind, entity }: { mind: string; entity: Entity }) {
  const { called, name, kind, summary } = entity;
  return (
    <header>
      <h1><bdi>{called || name}</bdi></h1>
      <p class="quiet">
        {kind && <><span class="badge">{kind}</span> </>}
        {called && called !== name && <>heard of as <bdi>{name}</bdi> · </>}
        {counted(entity.facts, "fact")}{entity.mentions > 0 && <>, told in {counted(entity.mentions, "turn")}</>}
        {entity.first_at && <> · first heard of <When at={entity.first_at} as="day" /></>}
        {entity.last_at && <>, last <When at={entity.last_at} as="day" /></>}
        {" · "}<a href={to(mind, "graph", "", { chosen: entity.id })}>See it in time</a>
      </p>
      {entity.corrections.length > 0 && <p><DecisionsOfEntity mind={mind} of={entity.corrections} /></p>}
      {summary && <Summary text={summary} />}
    </header>
  );
}

const SHORT_LINES = 4;

function Summary({ text }: { text: string }) {
  const lines = text.split("\n").filter((line) => line.trim());
  const paragraph = (line: string, at: number) => <p key={at} class="said"><bdi>{line}</bdi></p>;
  if (lines.length <= SHORT_LINES) return <div class="summary">{lines.map(paragraph)}</div>;
  return (
    <div class="summary">
      {lines.slice(0, SHORT_LINES).map(paragraph)}
      <details>
        <summary>{counted(lines.length - SHORT_LINES, "more line")}</summary>
        {lines.slice(SHORT_LINES).map(paragraph)}
      </details>
    </div>
  );
}

function Neighbours({ mind, entity }: { mind: string; entity: Entity }) {
  return (
    <section aria-labelledby="neighbours">
      <h2 id="neighbours">What stands around it</h2>
      {entity.neighbours.length ? (
        <ul class="list neighbours">
          {entity.neighbours.map((one) => (
            <li key={one.id ?? one.name}>
              <Name mind={mind} id={one.id} name={one.name} /> <span class="quiet small">{counted(one.facts, "fact")}</span>
            </li>
          ))}
        </ul>
      ) : (
        <p class="quiet">Nothing yet.</p>
      )}
    </section>
  );
}

export const WHY: Record<Schemas["LookalikeOut"]["why"], string> = {
  same_words: "the same words",
  spelling: "almost the same letters",
  contained: "a part of the name",
};

function Lookalikes({ mind, entity }: { mind: string; entity: Entity }) {
  if (!entity.lookalikes.length) return null;
  return (
    <section aria-labelledby="lookalikes">
      <h2 id="lookalikes">Is it the same?</h2>
      <ul class="list">
        {entity.lookalikes.map((one) => (
          <li key={one.id}>
            Is <Name mind={mind} id={one.id} name={one.name} /> the same? <span class="quiet small">{WHY[one.why]}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
