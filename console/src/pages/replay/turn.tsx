// One turn as a chat, and in the margin what came to mind before it.
import { useEffect, useRef, useState } from "preact/hooks";
import type { Schemas } from "../../api/client";
import type { Shown, Trace } from "../../api/trace";
import { CorrectionButtons, Decisions, wordsOfTurn } from "../../parts/correct";
import { headingWords } from "../../parts/heading";
import { Long } from "../../parts/long";
import { mindOf, Whose } from "../../parts/sources";
import { When } from "../../parts/time";
import { silenceWords } from "../../parts/why/words";
import { to } from "../../router";
import type { Turn } from "./reading";

type Message = Schemas["MessageOut"];
type Decision = Schemas["DecisionOut"];

interface OneTurnProps {
  mind: string;
  of: Turn;
  trace: Trace | undefined;
  isMarked: boolean;
  /** Its trace is explained beside it. */
  isExplained: boolean;
  decided: readonly Decision[];
  explain: () => void;
  changed: () => void;
}

const KINDS: Record<string, string> = {
  memory: "a memory",
  action: "an action",
  import: "brought in",
  heartbeat: "a heartbeat",
  probe: "a health check",
  off_the_record: "off the record",
};

export function OneTurn({ mind, of, trace, isMarked, isExplained, decided, explain, changed }: OneTurnProps) {
  const marks = ["turn", isMarked ? "is-marked" : "", isExplained ? "is-explained" : ""].filter(Boolean).join(" ");
  return (
    <article id={`turn-${of.sequence}`} class={marks} tabIndex={-1} data-walk aria-label={`Turn ${of.sequence}`} aria-current={isMarked ? "true" : undefined}>
      <div class="turn-said">
        {of.messages.map((one, at) => <OneMessage key={at} of={one} at={one.timestamp ?? of.occurred_at} />)}
        {!of.messages.length && <p class="quiet">No words are kept.</p>}
        <Foot mind={mind} of={of} decided={decided} changed={changed} />
      </div>
      <Margin mind={mind} trace={trace} isExplained={isExplained} explain={explain} />
    </article>
  );
}

function OneMessage({ of, at }: { of: Message; at: string }) {
  return (
    <div class="message" data-role={of.role}>
      <p class="small quiet"><bdi>{of.name ?? of.role}</bdi> · <When at={at} as="moment" /></p>
      <p class="message-words"><Long of={of.content} /></p>
    </div>
  );
}

interface MarginProps extends Pick<OneTurnProps, "mind" | "trace" | "isExplained" | "explain"> {}

function Margin({ mind, trace, isExplained, explain }: MarginProps) {
  if (!trace) return <div class="margin" />;
  return (
    <div class="margin is-full" role="group" aria-label="What came to mind">
      {trace.surfaced ? (
        <ul>{trace.shown.map((one) => <li key={one.id} class="said"><Label of={trace} id={one.id} /><Came mind={mind} of={one} /></li>)}</ul>
      ) : (
        <p class="silence small quiet">silence: <bdi>{silenceWords(trace)}</bdi></p>
      )}
      <button type="button" aria-pressed={isExplained} onClick={explain}>Why?</button>
    </div>
  );
}

/** What came up. Of a memory of another mind, no words are kept here. */
function Came({ mind, of }: { mind: string; of: Shown }) {
  const there = mindOf(mind, of.id);
  return there.isOther ? <Whose mind={there.mind} /> : <Long of={of.text || "a memory, off the record"} most={300} />;
}

function Label({ of, id }: { of: Trace; id: string }) {
  const label = of.phases.labels?.labels?.[id];
  return label ? <span class="small label">{label}</span> : null;
}

function Foot({ mind, of, decided, changed }: { mind: string; of: Turn; decided: readonly Decision[]; changed: () => void }) {
  const [isOpen, setOpen] = useState(false);
  const menu = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isOpen) menu.current?.querySelector("button")?.focus();
  }, [isOpen]);
  const state = stateWords(of);
  return (
    <div class="turn-foot small">
      <button type="button" aria-expanded={isOpen} aria-label={`Turn ${of.sequence}: more`} onClick={() => setOpen(!isOpen)}>⋯</button>
      {KINDS[of.kind] && <span class="badge">{KINDS[of.kind]}</span>}
      {state && <span class={of.digestion.state === "parked" ? "badge is-wrong" : "badge"}>{state}</span>}
      <Decisions of={decided} />
      {isOpen && (
        <div ref={menu} class="turn-menu">
          <CorrectionButtons
            mind={mind}
            target={{ kind: "turn", id: of.id, turn_ids: [] }}
            words={wordsOfTurn(of.messages)}
            decided={decided}
            then={changed}
          />
          <p><a class="button" href={to(mind, "erase", "", { turn: of.turn_id })}>Forget this turn…</a></p>
          {of.digestion.error && <p class="wrong">It could not be read: {of.digestion.error}</p>}
          <Chapters mind={mind} of={of.chapters} />
        </div>
      )}
    </div>
  );
}

function Chapters({ mind, of }: { mind: string; of: Turn["chapters"] }) {
  if (!of?.length) return null;
  return (
    <p>
      Told in the story:{" "}
      {of.map((one, at) => <span key={one.digest}>{at > 0 && ", "}<a href={to(mind, "story", one.digest)}>{headingWords(one.heading)}</a></span>)}
    </p>
  );
}

function stateWords({ digestion, kind }: Turn): string {
  if (digestion.state === "parked") return "could not be read";
  if (digestion.state === "not_remembered") return kind === "turn" ? "not remembered" : "";
  return digestion.state === "waiting" ? "being read" : "";
}
