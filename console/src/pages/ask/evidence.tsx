// What an answer rests on: numbered under the lines of a model, in groups where there is none.
import type { Schemas } from "../../api/client";
import { counted } from "../../dates";
import { Sources } from "../../parts/sources";
import { When } from "../../parts/time";

type One = Schemas["EvidenceOut"];

export const numberOf = (evidence: readonly One[], id: string): number => evidence.findIndex((one) => one.id === id) + 1;

interface EvidenceProps {
  mind: string;
  evidence: readonly One[];
  cited: ReadonlySet<string>;
}

export function Evidence({ mind, evidence, cited }: EvidenceProps) {
  const others = evidence.filter((one) => !cited.has(one.id));
  const item = (one: One) => <Item key={one.id} mind={mind} of={one} number={numberOf(evidence, one.id)} />;
  return (
    <section aria-labelledby="rests-on">
      <h3 id="rests-on">What it rests on</h3>
      <ul class="list evidence">{evidence.filter((one) => cited.has(one.id)).map(item)}</ul>
      {others.length > 0 && (
        <details class="where">
          <summary>{counted(others.length, "more memory", "more memories")} that it looked at</summary>
          <ul class="list evidence">{others.map(item)}</ul>
        </details>
      )}
    </section>
  );
}

const GROUPS: readonly [string, (one: One) => boolean][] = [
  ["Contradicting, or put right", (one) => one.is_contradicted || one.state === "wrong"],
  ["It holds", (one) => one.state === "holding"],
  ["It ended", (one) => one.state === "ended"],
  ["It is planned", (one) => one.state === "planned"],
  ["It was said", (one) => one.state === "said"],
];

/** Each memory in the first group that it is of; what holds comes first. */
export function Grouped({ mind, evidence }: { mind: string; evidence: readonly One[] }) {
  const groupOf = (one: One) => GROUPS.find(([, fits]) => fits(one))?.[0];
  const [contradicting, ...others] = GROUPS.map(([name]) => ({ name, items: evidence.filter((one) => groupOf(one) === name) }));
  const groups = [...others, ...(contradicting ? [contradicting] : [])].filter((one) => one.items.length);
  return (
    <div class="groups">
      {groups.map(({ name, items }) => (
        <section key={name}>
          <h3>{name}</h3>
          <ul class="list evidence">
            {items.map((one) => <Item key={one.id} mind={mind} of={one} number={numberOf(evidence, one.id)} />)}
          </ul>
        </section>
      ))}
    </div>
  );
}

function Item({ mind, of, number }: { mind: string; of: One; number: number }) {
  const isOver = of.state === "ended" || of.state === "wrong" || of.is_contradicted;
  return (
    <li id={`evidence-${of.id}`} tabIndex={-1}>
      <p>
        <span class="number">{number}</span> <bdi class={isOver ? "said ended" : "said"}>{of.text}</bdi>{" "}
        <Standing of={of} />
      </p>
      <Sources mind={mind} of={of.sources} said={of.text} />
    </li>
  );
}

const SAID: Record<One["kind"], string> = { fact: "fact", entity: "entity", episode: "turn", observation: "observation" };

function Standing({ of }: { of: One }) {
  return (
    <span class="small quiet">
      {of.is_contradicted && <span class="badge is-wrong">contradicted</span>} <span class="badge">{of.state === "said" ? SAID[of.kind] : of.state}</span>
      {of.valid_at && <> since <When at={of.valid_at} as="day" /></>}
      {of.invalid_at && <> until <When at={of.invalid_at} as="day" /></>}
    </span>
  );
}
