// The answer of a model, each line with numbers of what it rests on; without a model what is known, in groups.
import { useState } from "preact/hooks";
import { post, type Schemas } from "../../api/client";
import { counted } from "../../dates";
import { useHappened, useLoaded, Wait } from "../../parts/load";
import { Evidence, Grouped, numberOf } from "./evidence";

type Answer = Schemas["AskOut"];

interface AnsweredProps {
  mind: string;
  question: string;
  at: string | undefined;
}

export function Answered({ mind, question, at }: AnsweredProps) {
  const timezone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const body = { question, timezone, ...(at ? { at } : {}) } as Schemas["AskIn"];
  const answer = useLoaded(() => post("/v1/minds/{mind_id}/ask", { path: { mind_id: mind }, body }), [mind, question, at]);
  const [old, setOld] = useState<Answer>(); // something was put right after it; to ask a model again costs
  useHappened(["correction.made"], () => (answer.value?.by_model ? setOld(answer.value) : answer.again()));
  const isOld = old !== undefined && old === answer.value;
  return (
    <section class="answer" aria-labelledby="answer" aria-busy={answer.isLoading}>
      <h2 id="answer">Answer</h2>
      {isOld && <p class="row" role="status">Something was put right since. <button type="button" onClick={answer.again}>Ask again</button></p>}
      {answer.isLoading && !answer.value ? (
        <p class="quiet" role="status">Thinking…</p>
      ) : (
        <Wait of={answer}>{(found) => <Whole mind={mind} answer={found} />}</Wait>
      )}
    </section>
  );
}

const DID_NOT_ANSWER = ["answer_unavailable", "answer_timed_out"];

function whyWithout({ degraded }: Answer): string {
  if (degraded.some((one) => DID_NOT_ANSWER.includes(one))) return "The model did not answer just now.";
  if (degraded.includes("answer_lines_dropped")) return "What the model answered is not in memory, and is left out.";
  return "No model words the answer.";
}

function Whole({ mind, answer }: { mind: string; answer: Answer }) {
  if (!answer.evidence.length) return <p role="status">Nothing of that is in memory.</p>;
  if (!answer.by_model) {
    return (
      <>
        <p class="quiet" role="status">
          {whyWithout(answer)} This is what is known:
        </p>
        <Contradictions answer={answer} />
        <Dropped reasons={answer.dropped} />
        <Grouped mind={mind} evidence={answer.evidence} />
      </>
    );
  }
  return (
    <>
      <div role="status">
        {answer.answer.map((line) => (
          <p key={line.text} class="lead"><bdi>{line.text}</bdi> <Numbers ids={line.sources} answer={answer} /></p>
        ))}
        {!answer.answer.length && <p>What is in memory does not answer this.</p>}
        {answer.missing.length > 0 && <p class="missing">Not in memory: <bdi>{answer.missing.join("; ")}</bdi></p>}
      </div>
      <Contradictions answer={answer} />
      <Dropped reasons={answer.dropped} />
      <Evidence mind={mind} evidence={answer.evidence} cited={new Set(answer.answer.flatMap((line) => line.sources))} />
    </>
  );
}

function Numbers({ ids, answer }: { ids: readonly string[]; answer: Answer }) {
  return (
    <span class="numbers">
      {ids.map((id) => {
        const number = numberOf(answer.evidence, id);
        return <button key={id} type="button" aria-label={`Source ${number}`} onClick={() => show(id)}>{number}</button>;
      })}
    </span>
  );
}

function show(id: string): void {
  const element = document.getElementById(`evidence-${id}`);
  element?.closest("details")?.setAttribute("open", "");
  element?.scrollIntoView({ block: "center" });
  element?.focus({ preventScroll: true });
}

function Contradictions({ answer }: { answer: Answer }) {
  if (!answer.contradictions.length) return null;
  return (
    <section aria-labelledby="contradictions">
      <h3 id="contradictions">These speak against each other</h3>
      {answer.contradictions.map((one) => (
        <ul key={one.sources.join()} class="beside">
          {one.texts.map((text, at) => (
            <li key={at} class="card">
              <bdi class="said">{text}</bdi> <Numbers ids={one.sources.slice(at, at + 1)} answer={answer} />
            </li>
          ))}
        </ul>
      ))}
    </section>
  );
}

function Dropped({ reasons }: { reasons: readonly string[] }) {
  if (!reasons.length) return null;
  return (
    <details class="where">
      <summary>{counted(reasons.length, "line was", "lines were")} left out: not carried by what is known</summary>
      <ul>{reasons.map((one, at) => <li key={at}><bdi>{one}</bdi></li>)}</ul>
    </details>
  );
}
