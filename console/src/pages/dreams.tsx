// An agent's nights: how it is, what each dream came to, what it observed, and what it is handed when it wakes.
import { useState } from "preact/hooks";
import { get, type Schemas } from "../api/client";
import { counted } from "../dates";
import { useHappened, useLoaded, Wait } from "../parts/load";
import { When } from "../parts/time";
import { Fatigue } from "./dreams/fatigue";
import { Nights } from "./dreams/nights";
import { Observations } from "./dreams/observations";
import { Waking } from "./dreams/waking";

type Status = Schemas["SleepStatusOut"];

const MOST_DREAMS = 50;

export default function Dreams({ mind }: { mind: string }) {
  const query = { limit: MOST_DREAMS };
  const found = useLoaded(() => get("/v1/minds/{mind_id}/dreams", { path: { mind_id: mind }, query }), [mind]);
  useHappened(["turn.kept", "turn.read", "reset"], found.again);
  const [times, setTimes] = useState(0); // a dream was taken back: what it wrote is read anew
  const changed = () => {
    setTimes((now) => now + 1);
    found.again();
  };
  return (
    <section class="page dreams">
      <h1>Dreams</h1>
      <Wait of={found}>
        {({ dreams, status }) => {
          const hasLived = dreams.length > 0 || status.actions > 0 || status.state !== "awake";
          if (!hasLived) return <Never mind={mind} />;
          return (
            <>
              <p class="lead" role="status">{sentenceOf(status)}</p>
              {status.last_dream_at && <p class="quiet">It dreamt last <When at={status.last_dream_at} />.</p>}
              {status.waiting_for && <p class="trouble">A dream is late, waiting for {status.waiting_for}.</p>}
              <Fatigue mind={mind} />
              <div class="nights-and-days">
                <Nights mind={mind} dreams={dreams} of={status.dreams} changed={changed} />
                <div>
                  <Observations key={`observed ${times}`} mind={mind} />
                  <Waking key={`waking ${times}`} mind={mind} hasDiary={dreams.some((one) => one.kind === "deep_sleep")} />
                </div>
              </div>
            </>
          );
        }}
      </Wait>
    </section>
  );
}

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
  const until = wake_at ? ` until ${new Date(wake_at).toLocaleTimeString(undefined, { hour: "2-digit", minute: "2-digit" })}` : "";
  const done = `${actions ? counted(actions, "thing") : "nothing"} done since ${dreams ? "its last dream" : "it began"}.`;
  const needs = must_sleep ? " It has to sleep now." : "";
  return `${STATES[state]}${until}, ${FATIGUE[fatigue]}: ${done}${needs}`;
}
