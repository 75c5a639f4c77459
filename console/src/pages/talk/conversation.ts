// A conversation that is being held: what was said, what came to mind before each answer. It lives as long as the tab.
import { signal } from "@preact/signals";
import { chat } from "../../api/chat";
import { post, type Schemas } from "../../api/client";
import { ERASED, happened } from "../../api/events";
import type { Trace } from "../../api/trace";
import { asProblem } from "../../parts/load";
import { onAnother } from "../../session";

export interface Line {
  role: "user" | "assistant";
  content: string;
  isOffRecord: boolean;
  /** Of a line of the mind: the trace of the call before it. */
  traceId?: string | null;
  /** The same, where it is kept nowhere else. */
  trace?: Trace | null;
  /** What came to mind, where no model put it into an answer. */
  flashbacks?: readonly Schemas["FlashbackOut"][];
  silence?: string | null;
  problem?: string;
  isOpen?: boolean;
  /** Of a line of a person that did not arrive: how it is sent again. */
  unsent?: Sending;
}

interface Sending {
  isAnswered: boolean;
  /** Names the turn, so that one that did arrive is not kept twice. */
  turn: string;
}

export interface Talk {
  mind: string;
  session: string;
  lines: readonly Line[];
}

export const talk = signal<Talk>({ mind: "", session: "", lines: [] });

let present = new AbortController();

// What is erased leaves here, too. Which line an erased turn is, is not known: then the conversation begins anew.
happened.subscribe((event) => {
  const { mind, session } = talk.peek();
  if (event?.kind !== ERASED || !mind) return;
  const erased = event.data.session_id;
  if (erased === undefined || erased === session) begin(mind);
});

onAnother(() => begin(""));

/** Begin anew; what was said before is kept, and is the past of what is said now. */
export function begin(mind: string): void {
  present.abort();
  present = new AbortController();
  const name = `talk-${new Date().toISOString().slice(0, 16).replace(/[-:]/g, "")}-${Math.random().toString(36).slice(2, 6)}`;
  talk.value = { mind, session: name, lines: [] };
}

/** Say something, and hear what comes of it. */
export function speak(words: string, isOffRecord: boolean, isAnswered: boolean): Promise<void> {
  return send(words, isOffRecord, { isAnswered, turn: `console-${crypto.getRandomValues(new Uint32Array(4)).join("-")}` });
}

/** Send line *at*, which did not arrive, again: it stands behind what was said meanwhile. */
export async function sendAgain(at: number): Promise<void> {
  const { lines } = talk.value;
  const line = lines[at];
  if (!line?.unsent) return;
  talk.value = { ...talk.value, lines: lines.filter((_, one) => one !== at && one !== at + 1) };
  await send(line.content, line.isOffRecord, line.unsent);
}

async function send(words: string, isOffRecord: boolean, sending: Sending): Promise<void> {
  const spoken: Line = { role: "user", content: words, isOffRecord };
  add(spoken);
  add({ role: "assistant", content: "", isOffRecord, isOpen: true });
  const mine = present.signal;
  try {
    await (sending.isAnswered ? answer(isOffRecord, mine) : recall(words, isOffRecord, sending.turn, mine));
  } catch (error) {
    if (mine.aborted) return;
    change({ problem: asProblem(error).detail });
    // Where a model had begun to answer, the words arrived.
    if (!talk.value.lines.at(-1)?.content) put({ ...spoken, unsent: sending }, 2);
  }
  if (!mine.aborted) change({ isOpen: false });
}

async function answer(isOffRecord: boolean, abort: AbortSignal): Promise<void> {
  const { mind, session } = talk.value;
  const heard = (words: string) => {
    if (words && !abort.aborted) change({ content: (talk.value.lines.at(-1)?.content ?? "") + words });
  };
  const found = await chat({ mind, session, messages: said(isOffRecord), isBypassed: isOffRecord, abort }, heard);
  if (!abort.aborted) change({ traceId: found.trace, problem: found.memory === "failed" ? "The memory could not be asked." : undefined });
}

/** Without a model: what would come to mind, and the words are kept all the same. */
async function recall(words: string, isOffRecord: boolean, name: string, abort: AbortSignal): Promise<void> {
  const { mind, session } = talk.value;
  const path = { mind_id: mind };
  const timezone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const messages = said(isOffRecord);
  const found = await post("/v1/minds/{mind_id}/resonance", {
    path,
    abort,
    body: { session_id: session, messages, timezone, probe: isOffRecord, include: isOffRecord ? ["trace"] : ["flashbacks"] } as Schemas["ResonanceIn"],
  });
  change({ traceId: found.trace_id, trace: (found.trace ?? null) as unknown as Trace | null, flashbacks: found.flashbacks, silence: found.silence });
  if (isOffRecord) return;
  const turn = { turn_id: name, session_id: session, trace_id: found.trace_id, messages: [{ role: "user", content: words }] };
  await post("/v1/minds/{mind_id}/turns", { path, body: turn as Schemas["TurnIn"] });
}

/** What was said so far and arrived; what was off the record is heard only by what is off the record, too. */
function said(isOffRecord: boolean): Schemas["MessageIn"][] {
  return talk.value.lines
    .filter((one) => one.content && !one.unsent && (isOffRecord || !one.isOffRecord))
    .map(({ role, content }) => ({ role, content }));
}

function add(line: Line): void {
  talk.value = { ...talk.value, lines: [...talk.value.lines, line] };
}

function change(changes: Partial<Line>): void {
  const last = talk.value.lines.at(-1);
  if (last) put({ ...last, ...changes }, 1);
}

/** Put *line* in the place of the one at *fromEnd*; 1 is the last. */
function put(line: Line, fromEnd: number): void {
  const lines = [...talk.value.lines];
  lines[lines.length - fromEnd] = line;
  talk.value = { ...talk.value, lines };
}
