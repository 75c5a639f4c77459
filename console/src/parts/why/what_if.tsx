// The same call again with something changed, and what that would change. Nothing of it is noted.
import { useEffect, useRef, useState } from "preact/hooks";
import { Problem, post, type Schemas } from "../../api/client";
import type { Trace } from "../../api/trace";
import { dayOfField } from "../../dates";
import { asProblem, Trouble } from "../load";
import { ContextBar } from "./context_bar";
import { Differences } from "./differences";

/** A message of the conversation. */
export type Said = Pick<Schemas["MessageIn"], "role" | "content">;

type Moment = "then" | "now" | "day";

interface Supposed {
  message: string;
  relevance: number | null;
  limit: string;
  deadline: string;
  without: ("model" | "graph")[];
  moment: Moment;
  day: string;
  hasBefore: boolean;
}

interface Answer {
  trace: Trace | null;
  silence: string | null;
  parts: readonly { name: string; characters: number }[];
}

interface WhatIfProps {
  mind: string;
  of: Trace;
  before: readonly Said[];
}

export function WhatIf({ mind, of, before }: WhatIfProps) {
  const needed = of.phases.filters?.relevance?.needed ?? null;
  const [supposed, setSupposed] = useState<Supposed>({
    message: of.message, relevance: null, limit: "", deadline: "", without: [], moment: "then", day: dayOfField(of.at), hasBefore: true,
  });
  const [answer, setAnswer] = useState<Answer | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [isAsking, setAsking] = useState(false);
  const result = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (answer || problem) result.current?.scrollIntoView({ block: "start", behavior: "smooth" });
  }, [answer, problem]);
  const change = (changes: Partial<Supposed>) => setSupposed((now) => ({ ...now, ...changes }));
  const ask = async (event: SubmitEvent) => {
    event.preventDefault();
    setAsking(true);
    setProblem(null);
    try {
      setAnswer(await answerOf(mind, of, supposed, supposed.hasBefore ? before : []));
    } catch (error) {
      setProblem(asProblem(error));
    }
    setAsking(false);
  };
  return (
    <div class="what-if">
      <p class="small quiet">The call is made again, with your changes. Nothing of it is noted.</p>
      <form onSubmit={ask}>
        <label>
          The message
          <textarea required maxLength={20_000} value={supposed.message} onInput={(event) => change({ message: event.currentTarget.value })} />
        </label>
        <Threshold needed={needed} value={supposed.relevance} change={(relevance) => change({ relevance })} />
        <Moments supposed={supposed} change={change} />
        <details>
          <summary>More</summary>
          <More supposed={supposed} change={change} before={before.length} />
        </details>
        <button type="submit" class="main" disabled={isAsking || !supposed.message.trim()}>{isAsking ? "Asking…" : "See what would come up"}</button>
      </form>
      <div ref={result} role="status" aria-label="What would change">
        {problem && <Trouble problem={problem} />}
        {answer && !answer.trace && <p>{answer.silence}</p>}
        {answer?.trace && (
          <>
            <Differences then={of} now={answer.trace} />
            <ContextBar of={answer.parts} />
          </>
        )}
      </div>
    </div>
  );
}

async function answerOf(mind: string, of: Trace, supposed: Supposed, before: readonly Said[]): Promise<Answer> {
  const as_of = momentOf(supposed, of);
  const found = await post("/v1/minds/{mind_id}/resonance", {
    path: { mind_id: mind },
    body: {
      session_id: of.session_id,
      messages: [...before, { role: "user", content: supposed.message }],
      probe: true,
      include: ["trace", "story", "protocol"],
      without: supposed.without,
      again_of: of.trace_id,
      ...(as_of ? { as_of } : {}),
      ...(supposed.relevance === null ? {} : { relevance: supposed.relevance }),
      ...(supposed.limit ? { max_fragments: Number(supposed.limit) } : {}),
      ...(supposed.deadline ? { deadline_ms: Number(supposed.deadline) } : {}),
    } as Schemas["ResonanceIn"],
  });
  const parts = [
    { name: "Story and manners, the stable part", characters: found.stable.text?.length ?? 0 },
    { name: "What comes to mind", characters: found.block.length },
    { name: "The conversation in sight", characters: [...before, { content: supposed.message }].reduce((sum, one) => sum + one.content.length, 0) },
  ];
  return { trace: (found.trace ?? null) as unknown as Trace | null, silence: found.silence, parts };
}

function momentOf(supposed: Supposed, of: Trace): string | null {
  if (supposed.moment === "now") return null;
  return supposed.moment === "then" ? of.at : new Date(`${supposed.day}T23:59:59`).toISOString();
}

interface Changing {
  supposed: Supposed;
  change: (changes: Partial<Supposed>) => void;
}

function Threshold({ needed, value, change }: { needed: number | null; value: number | null; change: (value: number | null) => void }) {
  const said = value === null ? `as configured${needed === null ? "" : `, ${needed.toFixed(2)}`}` : value.toFixed(2);
  return (
    <div class="threshold">
      <label>
        How likely it has to be that something is meant: {said}
        <input type="range" min={0} max={1} step={0.01} value={value ?? needed ?? 0.5} aria-valuetext={said} onInput={(event) => change(Number(event.currentTarget.value))} />
      </label>
      {value !== null && <button type="button" onClick={() => change(null)}>As configured</button>}
    </div>
  );
}

function Moments({ supposed, change }: Changing) {
  return (
    <div class="row">
      <label>
        As it was known
        <select value={supposed.moment} onChange={(event) => change({ moment: event.currentTarget.value as Moment })}>
          <option value="then">at that moment</option>
          <option value="now">now</option>
          <option value="day">at the end of a day</option>
        </select>
      </label>
      {supposed.moment === "day" && (
        <label>
          Day
          <input type="date" required value={supposed.day} onInput={(event) => change({ day: event.currentTarget.value })} />
        </label>
      )}
    </div>
  );
}

function More({ supposed, change, before }: Changing & { before: number }) {
  const leave = (part: "model" | "graph") => (event: { currentTarget: HTMLInputElement }) =>
    change({ without: event.currentTarget.checked ? [...supposed.without, part] : supposed.without.filter((one) => one !== part) });
  return (
    <>
      <div class="row">
        <label>
          At most, memories
          <input type="number" min={0} max={50} placeholder="as configured" value={supposed.limit} onInput={(event) => change({ limit: event.currentTarget.value })} />
        </label>
        <label>
          Deadline in ms, 0 for none
          <input type="number" min={0} max={600_000} placeholder="as configured" value={supposed.deadline} onInput={(event) => change({ deadline: event.currentTarget.value })} />
        </label>
      </div>
      <label class="switch"><input type="checkbox" checked={supposed.without.includes("model")} onChange={leave("model")} /> Without a model</label>
      <label class="switch"><input type="checkbox" checked={supposed.without.includes("graph")} onChange={leave("graph")} /> Without the graph</label>
      {before > 0 && (
        <label class="switch">
          <input type="checkbox" checked={supposed.hasBefore} onChange={(event) => change({ hasBefore: event.currentTarget.checked })} />
          With the {before} messages before it in sight, as the bot could see them
        </label>
      )}
    </>
  );
}
