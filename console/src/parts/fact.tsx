// A fact in words: whether it holds, since when, who said so, where it came up, and the buttons to put it right.
import type { Schemas } from "../api/client";
import { counted } from "../dates";
import { to } from "../router";
import { By, CorrectionButtons, Decisions } from "./correct";
import { Sources } from "./sources";
import { When } from "./time";
import { Words } from "./words";

export type Fact = Schemas["FactOut"];

interface FactProps {
  mind: string;
  fact: Fact;
  /** Runs after it was put right, and after that was taken back. */
  again: () => void;
}

export function FactItem({ mind, fact, again }: FactProps) {
  const isOver = fact.state === "ended" || fact.state === "wrong" || fact.is_contradicted;
  return (
    <li class={`fact is-${fact.state}`} data-walk tabIndex={-1}>
      <p class="fact-words">
        <Words class={isOver ? "said ended" : "said"} of={fact.text} names={[fact.source, fact.target]} /> <Decisions of={fact.corrections} />
      </p>
      <p class="small quiet">
        {fact.is_contradicted && <><span class="badge is-wrong">contradicted</span> </>}
        <State of={fact} /> · <Joined mind={mind} fact={fact} /> <Surfaced mind={mind} of={fact.surfaced} />
      </p>
      <div class="fact-foot">
        <CorrectionButtons
          mind={mind}
          target={{ kind: "fact", id: fact.id, turn_ids: [] }}
          words={fact.text}
          decided={fact.corrections}
          then={again}
        />
        <Where mind={mind} fact={fact} />
      </div>
    </li>
  );
}

/** How a fact stands, in words: the picture and the strike say the same. */
function State({ of }: { of: Pick<Fact, "state" | "valid_at" | "invalid_at"> }) {
  const from = of.valid_at && <When at={of.valid_at} as="day" />;
  const until = of.invalid_at && <When at={of.invalid_at} as="day" />;
  if (of.state === "wrong") return <span class="badge is-wrong">wrong</span>;
  if (of.state === "planned") return <><span class="badge">planned</span> {from && <>from {from}</>}</>;
  if (of.state === "ended") return <><span class="badge">ended</span> {from} – {until}</>;
  return <><span class="badge is-holding">holds</span> {from && <>since {from}</>}{until && <>, until {until}</>}</>;
}

/** What a fact joins; of what a person said, who did and when. */
function Joined({ mind, fact }: { mind: string; fact: Fact }) {
  if (fact.said) return <>said by <By who={fact.said.by} />, <When at={fact.said.at} /></>;
  return (
    <>
      between <Name mind={mind} id={fact.source_id} name={fact.source} /> and{" "}
      <Name mind={mind} id={fact.target_id} name={fact.target} />
    </>
  );
}

export function Name({ mind, id, name }: { mind: string; id: string | null; name: string }) {
  return id ? <a href={to(mind, "entity", id)}><bdi>{name}</bdi></a> : <bdi>{name}</bdi>;
}

const MOST_SHOWN = 5;

function Surfaced({ mind, of }: { mind: string; of: Fact["surfaced"] }) {
  if (!of?.count) return null;
  return (
    <>
      · came up {counted(of.count, "time")}, last <When at={of.last_at} />:{" "}
      {of.trace_ids.slice(0, MOST_SHOWN).map((id, at) => (
        <a key={id} class="number" href={to(mind, "replay", "", { trace: id })} aria-label={`Where it came up, ${at + 1}`}>
          {at + 1}
        </a>
      ))}
    </>
  );
}

function Where({ mind, fact }: { mind: string; fact: Fact }) {
  if (!fact.sources.length) return null;
  const more = fact.turns - fact.sources.length;
  return (
    <details class="where">
      <summary>Where it comes from ({counted(Math.max(fact.turns, fact.sources.length), "turn")})</summary>
      <Sources mind={mind} of={fact.sources} />
      {more > 0 && <p class="small quiet">and {counted(more, "older turn")}</p>}
    </details>
  );
}
