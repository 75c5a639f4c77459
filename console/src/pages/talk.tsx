// Talk to a mind, and see beside each answer what came to mind before it, and why.
import { useEffect, useRef, useState } from "preact/hooks";
import { hasModel } from "../api/chat";
import { Dialog } from "../parts/dialog";
import { Trouble, useLoaded } from "../parts/load";
import { useTyped } from "../parts/typed";
import { isTight } from "../parts/width";
import { Why, WhyOf } from "../parts/why";
import type { Said } from "../parts/why/what_if";
import { begin, type Line, sendAgain, speak, talk } from "./talk/conversation";
import { OneLine } from "./talk/line";
import { Say } from "./talk/say";

export default function TalkPage({ mind }: { mind: string }) {
  const model = useLoaded(hasModel, []);
  const [chosen, setChosen] = useState<number | null>(null);
  const [record, setRecord] = useTyped(`talk ${mind} record`);
  const isOffRecord = record === "off";
  useEffect(() => {
    if (talk.value.mind !== mind) begin(mind);
  }, [mind]);
  const lines = talk.value.mind === mind ? talk.value.lines : [];
  const isBusy = lines.at(-1)?.isOpen ?? false;
  const newest = lines.map(hasTrace).lastIndexOf(true);
  const explained = chosen ?? (isTight.value ? -1 : newest);
  const end = useRef<HTMLDivElement>(null);
  useEffect(() => end.current?.scrollIntoView({ block: "nearest" }), [lines.length, isBusy]);
  const anew = () => {
    begin(mind);
    setChosen(null);
  };
  return (
    <div class="talk">
      <section class="talk-chat" aria-labelledby="talk-name">
        <div class="talk-head">
          <h1 id="talk-name">Talk</h1>
          <button type="button" onClick={anew} disabled={!lines.length}>New conversation</button>
        </div>
        {model.value === false && <NoModel />}
        {model.problem && <Trouble problem={model.problem} again={model.again} />}
        {!lines.length && <Opening />}
        <div class="talk-lines" role="log" aria-label="What was said">
          {lines.map((one, at) => (
            <OneLine
              key={at}
              mind={mind}
              of={one}
              isExplained={at === explained}
              explain={hasTrace(one) ? () => setChosen(at) : undefined}
              sendAgain={isBusy ? undefined : () => (setChosen(null), void sendAgain(at))}
            />
          ))}
        </div>
        <Say
          key={mind}
          mind={mind}
          isBusy={isBusy || (model.isLoading && model.value === undefined)}
          canBeHeard={model.value !== undefined}
          isOffRecord={isOffRecord}
          switchRecord={(isOff) => setRecord(isOff ? "off" : "")}
          isAnswered={model.value === true}
          say={(words) => {
            setChosen(null);
            void speak(words, isOffRecord, model.value === true);
          }}
        />
        <div ref={end} />
      </section>
      <Explained mind={mind} line={lines[explained]} before={saidBefore(lines, explained)} isChosen={chosen !== null} close={() => setChosen(null)} />
    </div>
  );
}

const hasTrace = (line: Line): boolean => Boolean(line.traceId || line.trace);

function NoModel() {
  return (
    <p class="card small">
      No model is configured, so nobody answers: set <code>MIND_MEMORY_MODEL</code> (for example{" "}
      <code>ollama/llama3.2</code>) and start the service again. Until then, what you say is kept, and you see what
      would come to mind.
    </p>
  );
}

function Opening() {
  return (
    <p class="lead">
      Say a few things about your life. Then begin a new conversation and mention one of them: what is in sight does
      not come to mind, what is past does.
    </p>
  );
}

interface ExplainedProps {
  mind: string;
  line: Line | undefined;
  before: readonly Said[];
  isChosen: boolean;
  close: () => void;
}

function Explained({ mind, line, before, isChosen, close }: ExplainedProps) {
  const shown = line && <OfLine key={line.traceId ?? ""} mind={mind} line={line} before={before} />;
  if (isTight.value) {
    if (!isChosen || !shown) return null;
    return (
      <Dialog title="Why" close={close}>
        {shown}
        <form method="dialog"><button type="submit">Close</button></form>
      </Dialog>
    );
  }
  return (
    <section class="explained" aria-labelledby="explained-name">
      <h2 id="explained-name">Why</h2>
      {shown ?? <p class="quiet">Here you see what was looked for before each answer, what was found, what was held back, and what was told.</p>}
    </section>
  );
}

function OfLine({ mind, line, before }: { mind: string; line: Line; before: readonly Said[] }) {
  if (line.traceId) return <WhyOf mind={mind} id={line.traceId} before={before} />;
  return line.trace ? <Why mind={mind} trace={line.trace} before={before} /> : null;
}

/** What was said before the message that line *at* answers. */
const saidBefore = (lines: readonly Line[], at: number): readonly Said[] =>
  lines.slice(0, Math.max(0, at - 1)).filter((one) => one.content).map(({ role, content }) => ({ role, content }));
