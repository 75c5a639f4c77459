// One line of a conversation: what a person said, or what was answered, with what came to mind before it.
import type { Schemas } from "../../api/client";
import { Long } from "../../parts/long";
import { Whose } from "../../parts/sources";
import { When } from "../../parts/time";
import { to } from "../../router";
import type { Line } from "./conversation";

interface OneLineProps {
  mind: string;
  of: Line;
  isExplained: boolean;
  explain: (() => void) | undefined;
  /** Sends it again, where it did not arrive and nothing else is under way. */
  sendAgain: (() => void) | undefined;
}

export function OneLine({ mind, of, isExplained, explain, sendAgain }: OneLineProps) {
  const isPerson = of.role === "user";
  return (
    <article class={isExplained ? "message is-explained" : "message"} data-role={of.role}>
      <p class="small quiet">{isPerson ? "You" : <bdi>{mind}</bdi>}{of.isOffRecord && " · off the record"}</p>
      {of.content && <p class="message-words"><Long of={of.content} most={4000} /></p>}
      {of.isOpen && !of.content && <p class="quiet">…</p>}
      {of.flashbacks && <CameUp mind={mind} of={of} />}
      {of.problem && <p class="wrong" role="alert">{of.problem}</p>}
      {of.unsent && (
        <p class="row">
          <span class="quiet">{of.isOffRecord ? "Not answered." : "Not kept yet."}</span>
          <button type="button" disabled={!sendAgain} onClick={sendAgain}>Send again</button>
        </p>
      )}
      {explain && <button type="button" aria-pressed={isExplained} onClick={explain}>Why?</button>}
    </article>
  );
}

function CameUp({ mind, of }: { mind: string; of: Line }) {
  const isFirst = !of.traceId && !of.trace;
  if (!of.flashbacks?.length) return <p class="quiet">Nothing comes to mind: <bdi>{isFirst ? "this is the first that it hears" : of.silence}</bdi>.</p>;
  return (
    <>
      <p class="quiet small">This comes to mind:</p>
      <ul class="list">
        {of.flashbacks.map((one) => (
          <li key={one.id}>
            <p class="small quiet"><span class="felt">{one.label}</span> <Origin mind={mind} of={one} /></p>
            <p class="said"><Long of={one.text} /></p>
          </li>
        ))}
      </ul>
    </>
  );
}

/** Whose it is, where it is of another mind, and the way to the conversation in which it was said. */
function Origin({ mind, of }: { mind: string; of: Schemas["FlashbackOut"] }) {
  const source = of.sources.find((one) => one.session_id !== null);
  const other = of.sources[0]?.mind_id;
  return (
    <>
      {other && <>· <Whose mind={other} /> </>}
      {source?.session_id && <>· <a href={to(other ?? mind, "replay", source.session_id, { turn: source.turn_id ?? "" })}><When at={source.timestamp} as="moment" /></a></>}
    </>
  );
}
