// A conversation with what came to mind beside it; the why of one message at its right, or as a sheet.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { get, type Schemas } from "../../api/client";
import type { Happened } from "../../api/events";
import { counted, day, moment } from "../../dates";
import { Dialog } from "../../parts/dialog";
import { Trouble, useHappened, useLoaded } from "../../parts/load";
import { useWalk } from "../../parts/walk";
import { isTight } from "../../parts/width";
import { WhyOf } from "../../parts/why";
import type { Said } from "../../parts/why/what_if";
import { place, replace, to } from "../../router";
import { type Reading, useReading } from "./reading";
import { Ruler } from "./ruler";
import { OneTurn } from "./turn";

type Decision = Schemas["DecisionOut"];

const MOST_BEFORE = 20;
const MOST_PAGES_BACK = 10;
const SPEAKERS: readonly string[] = ["user", "assistant", "system", "tool", "thought"];

export function Conversation({ mind, session }: { mind: string; session: string }) {
  const { query } = place.value;
  const [wanted, trace] = [query.get("turn") ?? "", query.get("trace") ?? ""];
  const reading = useReading(mind, session, wanted);
  const corrections = useLoaded(() => get("/v1/minds/{mind_id}/corrections", { path: { mind_id: mind }, query: { limit: 500 } }), [mind]);
  const decided = useMemo(() => decisionsByTurn(corrections.value?.items ?? []), [corrections.value]);
  const isHere = ({ data }: Happened) => data.session_id === session;
  useHappened(["turn.kept"], () => void (reading.hasNewer || reading.newer()), isHere);
  useHappened(["turn.read", "turn.parked", "story.told"], reading.renew);
  useHappened(["correction.made"], corrections.again);
  const list = useRef<HTMLElement>(null);
  useWalk(list, {
    Enter: ["open what can be done with the turn", ".turn-foot > button"],
    w: ["why this came to mind", ".margin button"],
    e: ["put the turn right", ".turn-foot > button[aria-expanded=false]"],
  });
  useMark(reading, wanted, trace, jump);
  const show = (id: string) => replace(to(mind, "replay", session, { ...(wanted ? { turn: wanted } : {}), ...(id ? { trace: id } : {}) }));
  const explain = (id: string) => show(id === trace ? "" : id);
  return (
    <>
      <section ref={list} class="conversation" aria-labelledby="conversation-name">
        <h2 id="conversation-name">
          {reading.turns[0] && `${day(reading.turns[0].occurred_at)} · `}<bdi>{session}</bdi>
        </h2>
        {reading.turns.length > 0 && <p><a class="small" href={to(mind, "erase", "", { session })}>Forget this conversation…</a></p>}
        {reading.problem && <Trouble problem={reading.problem} again={reading.again} />}
        {corrections.problem && <Trouble problem={corrections.problem} again={corrections.again} />}
        {reading.hasOlder && <button type="button" disabled={reading.isLoading} onClick={reading.older}>Older messages</button>}
        {reading.turns.map((one) => {
          const found = reading.traces.get(one.sequence);
          return (
            <OneTurn
              key={one.sequence}
              mind={mind}
              of={one}
              trace={found}
              isMarked={wanted !== "" && (one.turn_id === wanted || one.id === wanted)}
              isExplained={found?.trace_id === trace && trace !== ""}
              decided={decided.get(one.turn_id) ?? []}
              explain={() => found && explain(found.trace_id)}
              changed={corrections.again}
            />
          );
        })}
        <p class="quiet" role="status">{standingOf(reading)}</p>
        {reading.hasNewer && <button type="button" disabled={reading.isLoading} onClick={reading.newer}>Newer messages</button>}
        <Alone of={reading} explain={explain} />
      </section>
      <Explained mind={mind} trace={trace} reading={reading} close={() => show("")} />
      <Ruler turns={reading.turns} traces={reading.traces} jump={jump} />
    </>
  );
}

function standingOf({ turns, isLoading, problem }: ReturnType<typeof useReading>): string {
  if (isLoading) return "Loading…";
  return turns.length || problem ? "" : "Nothing is kept of this conversation.";
}

/** The why of the chosen trace: beside the page, or over it where there is no room. */
function Explained({ mind, trace, reading, close }: { mind: string; trace: string; reading: Reading; close: () => void }) {
  const before = useMemo(() => saidBefore(reading, trace), [reading.turns, trace]);
  if (isTight.value) {
    if (!trace) return null;
    return (
      <Dialog title="Why" close={close}>
        <WhyOf key={trace} mind={mind} id={trace} before={before} />
        <form method="dialog"><button type="submit">Close</button></form>
      </Dialog>
    );
  }
  return (
    <section class="explained" aria-labelledby="explained-name">
      <h2 id="explained-name">Why</h2>
      {trace ? (
        <WhyOf key={trace} mind={mind} id={trace} before={before} />
      ) : (
        <p class="quiet">Choose “Why?” beside a message to see what was looked for, what was found, what was held back, and what was told.</p>
      )}
    </section>
  );
}

/** Calls of this conversation whose turn was not kept. */
function Alone({ of, explain }: { of: Reading; explain: (id: string) => void }) {
  if (of.hasOlder || of.hasNewer || !of.alone.length) return null;
  return (
    <details class="alone">
      <summary>{counted(of.alone.length, "call")} without a kept turn</summary>
      <ul class="list">
        {of.alone.map((one) => (
          <li key={one.trace_id}>
            <bdi class="said">{one.message || "off the record"}</bdi> <span class="small quiet">{moment(one.at)}</span>{" "}
            <button type="button" onClick={() => explain(one.trace_id)}>Why?</button>
          </li>
        ))}
      </ul>
    </details>
  );
}

/** The messages before the one that a trace belongs to, as the bot could see them. */
function saidBefore({ turns, traces }: Reading, trace: string): readonly Said[] {
  const end = turns.findIndex((one) => traces.get(one.sequence)?.trace_id === trace);
  const said = turns.slice(0, Math.max(0, end)).flatMap((one) => one.messages);
  return said
    .filter((one) => SPEAKERS.includes(one.role) && one.content.trim())
    .slice(-MOST_BEFORE)
    .map(({ role, content }) => ({ role: role as Said["role"], content }));
}

function decisionsByTurn(corrections: readonly Schemas["CorrectionOut"][]): Map<string, Decision[]> {
  const found = new Map<string, Decision[]>();
  for (const one of corrections) {
    if (one.target.kind !== "turn" || one.state !== "stands") continue;
    for (const turn of one.target.turn_ids) found.set(turn, [...(found.get(turn) ?? []), one]);
  }
  return found;
}

const jump = (sequence: number): void => {
  const element = document.getElementById(`turn-${sequence}`);
  element?.focus({ preventScroll: true });
  element?.scrollIntoView({ block: "center" });
};

/** Go to the turn that the address names, or to the one of the trace that it names, loading older pages until it is there. */
function useMark(reading: Reading & { isLoading: boolean; older: () => void }, turn: string, trace: string, jump: (sequence: number) => void): void {
  const [reached, setReached] = useState("");
  const [aim] = useState(turn ? "" : trace);
  const pages = useRef(0);
  useEffect(() => {
    const wanted = turn || aim;
    if (!wanted || reached === wanted || reading.isLoading) return;
    const found = reading.turns.find((one) => (turn ? one.turn_id === turn || one.id === turn : reading.traces.get(one.sequence)?.trace_id === wanted));
    if (!found && !turn && reading.hasOlder && pages.current++ < MOST_PAGES_BACK) return reading.older();
    setReached(wanted);
    if (found) jump(found.sequence);
  }, [reading.turns, reading.isLoading, turn]);
}

