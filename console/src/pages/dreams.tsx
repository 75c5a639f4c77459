// An agent's nights: how it is, what each dream came to, what it observed, and what it is handed when it wakes.
import { useEffect, useRef } from "preact/hooks";
import { get, type Schemas } from "../api/client";
import { clock, counted } from "../dates";
import { useHappened, useLoaded, Wait } from "../parts/load";
import { When } from "../parts/time";
import { Fatigue } from "./dreams/fatigue";
import { Nights } from "./dreams/nights";
import { Observations } from "./dreams/observations";
import { Waking } from "./dreams/waking";

type Status = Schemas["SleepStatusOut"];

const MOST_DREAMS = 50;
const LOOKS_MS = 5000;

export default function Dreams({ mind }: { mind: string }) {
  const query = { limit: MOST_DREAMS };
  const found = useLoaded(() => get("/v1/minds/{mind_id}/dreams", { path: { mind_id: mind }, query }), [mind]);
  useHappened(["turn.kept", "turn.read", "reset"], found.again);
  useOtherStatus(mind, found.value?.status, found.again);
  return (
    <section class="page dreams">
      <h1>Dreams</h1>
      <Wait of={found}>
        {({ dreams, status }) => {
          const hasLived = dreams.length > 0 || status.actions > 0 || status.state !== "awake";
          if (!hasLived) return <Never mind={mind} />;
          const night = nightOf(status, dreams);
          return (
            <>
              <p class="lead" role="status">{sentenceOf(status)}</p>
              {status.last_dream_at && <p class="quiet">It dreamt last <When at={status.last_dream_at} />.</p>}
              {status.waiting_for && <p class="trouble">A dream is late, waiting for {status.waiting_for}.</p>}
              <Fatigue mind={mind} night={night} />
              <div class="nights-and-days">
                <Nights mind={mind} dreams={dreams} of={status.dreams} changed={found.again} />
                <div>
                  <Observations mind={mind} night={night} />
                  <Waking mind={mind} night={night} hasDiary={dreams.some((one) => one.kind === "deep_sleep")} />
                </div>
              </div>
            </>
          );
        }}
      </Wait>
    </section>
  );
}

/** An agent falls asleep, dreams and wakes without an event: look how it is while the page is looked at, and *react* if it is not *as shown*. */
function useOtherStatus(mind: string, asShown: Status | undefined, react: () => void): void {
  const shown = useRef(asShown);
  shown.current = asShown;
  useEffect(() => {
    const look = async () => {
      if (document.visibilityState !== "visible" || !shown.current) return;
      const now = await get("/v1/minds/{mind_id}/sleep", { path: { mind_id: mind } }).catch(() => shown.current);
      if (JSON.stringify(now) !== JSON.stringify(shown.current)) react();
    };
    const timer = setInterval(() => void look(), LOOKS_MS);
    return () => clearInterval(timer);
  }, [mind, react]);
}

/** Names how the nights stand: what is read of them is read anew when it is another. */
const nightOf = ({ state, dreams }: Status, all: readonly Schemas["DreamOut"][]): string =>
  `${state} ${dreams} ${all.filter((one) => one.undone_at !== null).map((one) => one.dream).join()}`;

function Never({ mind }: { mind: string }) {
  return (
    <>
      <p class="lead"><bdi>{mind}</bdi> never slept: this page is for agents that work on their own, and shows what they dream of what they did.</p>
      <p class="quiet">
        An agent appears here when its program reports what it does, as{" "}
        <a href="../docs#/sleep">the part “sleep” of the API</a> says. A bot that only talks has no dreams.
      </p>
    </>
  );
}

const STATES: Record<Status["state"], string> = { awake: "It is awake", asleep: "It is asleep", dreaming: "It dreams" };
const FATIGUE: Record<Status["fatigue"], string> = {
  rested: "and rested",
  tired: "and tired",
  exhausted: "and exhausted",
};

function sentenceOf({ state, fatigue, must_sleep, actions, dreams, wake_at }: Status): string {
  const until = wake_at ? ` until ${clock(wake_at)}` : "";
  const done = `${actions ? counted(actions, "thing") : "nothing"} done since ${dreams ? "its last dream" : "it began"}.`;
  const needs = must_sleep ? " It has to sleep now." : "";
  return `${STATES[state]}${until}, ${FATIGUE[fatigue]}: ${done}${needs}`;
}
