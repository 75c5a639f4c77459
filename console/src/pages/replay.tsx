// What was said, conversation by conversation, and beside each message what came to mind, and why.
import { useEffect, useRef } from "preact/hooks";
import { traceOf } from "../api/trace";
import { type Loaded, Loading, Trouble, useHappened, useLoaded } from "../parts/load";
import { isPhone } from "../parts/width";
import { place, replace, to } from "../router";
import { Conversation } from "./replay/conversation";
import { Sessions, sessionsOf } from "./replay/sessions";

export default function Replay({ mind }: { mind: string }) {
  const first = useLoaded(() => sessionsOf(mind), [mind]);
  useHappened(["turn.kept"], first.again);
  const { part: chosen, query } = place.value;
  const newest = useRef(""); // as it was when the page opened: what arrives meanwhile does not move the reader elsewhere
  newest.current ||= first.value?.items[0]?.session_id ?? "";
  const of = useConversationOf(mind, chosen ? "" : (query.get("trace") ?? ""));
  const session = chosen || (isPhone.value || of.isLoading ? "" : newest.current);
  const isEmpty = first.value !== undefined && !first.value.items.length;
  return (
    <div class={chosen ? "replay has-part" : "replay"}>
      <h1 class="only-read">Replay</h1>
      {isEmpty && <p class="page">Nothing was said yet. <a href={to(mind, "talk")}>Talk to it</a>, and it is here to be read.</p>}
      {!isEmpty && !(isPhone.value && chosen) && <Sessions mind={mind} current={session} first={first} walks={!session} />}
      {isPhone.value && chosen && <p class="back"><a class="button" href={to(mind, "replay")}>All conversations</a></p>}
      {of.isLoading && <section class="conversation"><Loading /></section>}
      {of.problem && <Trouble problem={of.problem} again={of.again} />}
      {session && <Conversation key={`${session} ${query.get("turn") ?? ""}`} mind={mind} session={session} />}
    </div>
  );
}

/** An address may name a trace alone: its conversation is looked up, and the address completed. */
function useConversationOf(mind: string, trace: string): Omit<Loaded<unknown>, "value"> {
  const found = useLoaded(async () => (trace ? traceOf(mind, trace) : null), [mind, trace]);
  const isFound = found.value?.trace_id === trace;
  useEffect(() => {
    if (isFound && found.value) replace(to(mind, "replay", found.value.session_id, { trace }));
  }, [isFound]);
  return { isLoading: trace !== "" && !found.problem, problem: trace ? found.problem : undefined, again: found.again };
}
