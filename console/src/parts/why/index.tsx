// Why something came to mind before a message, or did not: what a call looked for, found, held back, and told.
import { useState } from "preact/hooks";
import { type Trace, traceOf } from "../../api/trace";
import { Dialog } from "../dialog";
import { useLoaded, Wait } from "../load";
import { Long } from "../long";
import { When } from "../time";
import { Judge, ShouldHave } from "./judge";
import { Phases } from "./phases";
import { type Said, WhatIf } from "./what_if";
import { costWords, outcomeWords, rungWords } from "./words";

interface WhyProps {
  mind: string;
  /** What was said before the message, oldest first, as far as it is known. */
  before?: readonly Said[];
}

/** The why of a kept trace. */
export function WhyOf({ mind, id, before }: WhyProps & { id: string }) {
  const found = useLoaded(() => traceOf(mind, id), [mind, id]);
  return <Wait of={found}>{(trace) => <Why mind={mind} trace={trace} before={before} again={found.again} />}</Wait>;
}

/** The why of a trace; with *again* it is a kept one, of which can be said whether it was right. */
export function Why({ mind, trace, before = [], again }: WhyProps & { trace: Trace; again?: () => void }) {
  const [asks, setAsks] = useState(false);
  return (
    <div class="why">
      {trace.message && <p class="said why-message">“<Long of={trace.message} most={600} />”</p>}
      {trace.off_the_record && <p class="quiet">It was said off the record: only its figures are kept.</p>}
      <p><strong>{outcomeWords(trace)}</strong> <span class="quiet small"><When at={trace.at} as="moment" /></span></p>
      <Relevance of={trace} />
      {!trace.off_the_record && (
        <div class="actions"><button type="button" onClick={() => setAsks(true)}>What if…</button></div>
      )}
      {again && <Judge mind={mind} of={trace} again={again} />}
      <h3>Step by step</h3>
      <Phases of={trace} />
      <p class="small quiet">{costWords(trace)}</p>
      {trace.degraded.length > 0 && (
        <ul class="small skipped" aria-label="What was skipped">{trace.degraded.map((one) => <li key={one}>{rungWords(one)}</li>)}</ul>
      )}
      {again && !trace.off_the_record && <ShouldHave key={trace.trace_id} mind={mind} message={trace.message} />}
      {asks && (
        <Dialog title="What if…" close={() => setAsks(false)}>
          <WhatIf mind={mind} of={trace} before={before} />
          <form method="dialog"><button type="submit">Close</button></form>
        </Dialog>
      )}
    </div>
  );
}

/** How likely it was that anything stored is meant, against how likely it had to be. */
function Relevance({ of }: { of: Trace }) {
  const found = of.phases.filters?.relevance;
  if (!found) return null;
  const words = `${found.probability.toFixed(2)}, and ${found.needed.toFixed(2)} was needed`;
  return (
    <p class="relevance small">
      <meter aria-label="How likely it is that something stored is meant" min={0} max={1} value={found.probability} low={found.needed} optimum={1} />
      {" "}likely to be meant: {words}
    </p>
  );
}
