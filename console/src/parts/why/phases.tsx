// The six phases of a call: each row says how much, and opens to say what. One is open at a time.
import type { ComponentChildren } from "preact";
import { useId, useState } from "preact/hooks";
import type { Candidate, Trace } from "../../api/trace";
import { counted, number } from "../../dates";
import { Long } from "../long";
import { CandidateLine } from "./candidate";
import { armWords, fateOf, milliseconds, relevanceWords, seedsOfModel } from "./words";

const MOST_AT_FIRST = 12;

export function Phases({ of }: { of: Trace }) {
  const [open, setOpen] = useState("");
  const { labels, narration } = of.phases;
  const toggle = (name: string) => setOpen(open === name ? "" : name);
  const row = (name: string, count: string, key: string, children: ComponentChildren) => (
    <Phase key={name} name={name} count={count} took={of.timings_ms[key]} isOpen={open === name} toggle={() => toggle(name)}>
      {children}
    </Phase>
  );
  const found = of.phases.retrieval?.candidates ?? [];
  const held = found.filter((one) => fateOf(of, one.id).state !== "shown");
  const felt = Object.entries(labels?.labels ?? {});
  return (
    <ol class="phases">
      {row("Looked for", soughtIn(of), "seeds", <Sought of={of} />)}
      {row("Found", number(found.length), "retrieval", <Found all={found} />)}
      {row("Held back", number(held.length), "filters", <HeldBack of={of} held={held} />)}
      {row("Labels", number(felt.length), "labels", <Labels all={felt} of={of} />)}
      {row("Told", number(of.shown.length), "narration", <Told of={of} model={narration?.model} />)}
      {row("The block", of.block ? counted(of.block.length, "character") : "none", "injection", <Block of={of} />)}
    </ol>
  );
}

interface PhaseProps {
  name: string;
  count: string;
  took: number | undefined;
  isOpen: boolean;
  toggle: () => void;
  children: ComponentChildren;
}

function Phase({ name, count, took, isOpen, toggle, children }: PhaseProps) {
  const place = useId();
  return (
    <li class={isOpen ? "phase is-open" : "phase"}>
      <h4>
        <button type="button" aria-expanded={isOpen} aria-controls={place} onClick={toggle}>
          <span class="phase-name">{name} <span class="phase-count">{count}</span></span>
          <span class="quiet small">{milliseconds(took)}</span>
        </button>
      </h4>
      <div id={place} hidden={!isOpen}>{isOpen && children}</div>
    </li>
  );
}

function soughtIn({ phases: { seeds, retrieval } }: Trace): string {
  const queries = new Set([...(seeds?.queries ?? []), ...(retrieval?.queries ?? [])]).size;
  const named = seeds?.names?.length ? `, ${counted(seeds.names.length, "name")}` : "";
  return queries ? `${counted(queries, "query", "queries")}${named}` : "nothing";
}

function Sought({ of }: { of: Trace }) {
  const { seeds, retrieval } = of.phases;
  const groups: readonly [string, readonly string[]][] = [
    ["Asked of the memory", retrieval?.queries ?? seeds?.queries ?? []],
    ["Names in the message", seeds?.names ?? []],
    ["Thought of before the message came", seeds?.late ?? []],
    ["From the model", seedsOfModel(seeds?.model)],
  ];
  const known = groups.filter(([, all]) => all.length);
  if (!known.length) return <p class="quiet">Nothing was looked for.</p>;
  return (
    <dl class="sought">
      {known.map(([name, all]) => (
        <div key={name}><dt>{name}</dt>{all.map((one) => <dd key={one} class="said"><bdi>{one}</bdi></dd>)}</div>
      ))}
    </dl>
  );
}

function Found({ all }: { all: readonly Candidate[] }) {
  const arms = new Map<string, number>();
  for (const arm of all.flatMap((one) => Object.keys(one.arms))) arms.set(arm, (arms.get(arm) ?? 0) + 1);
  if (!all.length) return <p class="quiet">Nothing was found.</p>;
  return (
    <>
      <p class="small">{[...arms].map(([arm, count]) => `${count} ${armWords(arm)}`).join(" · ")}</p>
      <Candidates all={all} />
    </>
  );
}

function Candidates({ all, reasonOf }: { all: readonly Candidate[]; reasonOf?: (one: Candidate) => string }) {
  const [most, setMost] = useState(MOST_AT_FIRST);
  return (
    <>
      <ul class="list">{all.slice(0, most).map((one) => <CandidateLine key={one.id} of={one} because={reasonOf?.(one) ?? ""} />)}</ul>
      {all.length > most && (
        <button type="button" onClick={() => setMost(all.length)}>Show {counted(all.length - most, "weaker one")}</button>
      )}
    </>
  );
}

function HeldBack({ of, held }: { of: Trace; held: readonly Candidate[] }) {
  const groups = new Map<string, Candidate[]>();
  for (const one of held) {
    const { filter } = fateOf(of, one.id);
    groups.set(filter, [...(groups.get(filter) ?? []), one]);
  }
  const relevance = relevanceWords(of);
  return (
    <>
      {relevance && <p class="small">How likely it is that anything stored is meant: {relevance}.</p>}
      {!held.length && <p class="quiet">Nothing was held back.</p>}
      {[...groups].sort((a, b) => b[1].length - a[1].length).map(([filter, all]) => (
        <details key={filter} open={groups.size === 1}>
          <summary>{filter} <span class="phase-count">{all.length}</span></summary>
          <Candidates all={all} reasonOf={(one) => fateOf(of, one.id).reason} />
        </details>
      ))}
    </>
  );
}

function Labels({ all, of }: { all: readonly [string, string][]; of: Trace }) {
  const words = new Map(of.phases.retrieval?.candidates?.map((one) => [one.id, one.text]));
  if (!all.length) return <p class="quiet">Nothing was left to be labelled.</p>;
  return (
    <ul class="list">
      {all.map(([id, label]) => <li key={id}><strong>{label}</strong>: <bdi class="said">{words.get(id) ?? id}</bdi></li>)}
    </ul>
  );
}

function Told({ of, model }: { of: Trace; model: string | undefined }) {
  const raw = new Map(of.phases.retrieval?.candidates?.map((one) => [one.id, one.text]));
  const refused = Object.entries(of.phases.narration?.reasons ?? {});
  return (
    <>
      <p class="small quiet">{model ? `Put into words by: ${model}` : "Quoted as it was said: no model was asked."}</p>
      <ul class="list">
        {of.shown.map((one) => (
          <li key={one.id}>
            <p class="said"><Long of={one.text} most={600} /></p>
            {raw.get(one.id) !== one.text && <p class="small quiet">As it was kept: <bdi>{raw.get(one.id) ?? "not in the trace"}</bdi></p>}
          </li>
        ))}
      </ul>
      {refused.length > 0 && (
        <>
          <h5>What the check refused</h5>
          <ul class="list">{refused.map(([id, reason]) => <li key={id}><bdi>{raw.get(id) ?? id}</bdi>: <em>{reason}</em></li>)}</ul>
        </>
      )}
    </>
  );
}

function Block({ of }: { of: Trace }) {
  return of.block ? <pre tabIndex={0}>{of.block}</pre> : <p class="quiet">Nothing was put into the prompt.</p>;
}
