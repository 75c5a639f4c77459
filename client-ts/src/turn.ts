// A turn around any model call: what surfaced, placed among the messages, and what was said, to be stored.
import { answerOf, asList, lastAnswer, pieceOf, placeMemory, plainMessage, unanswered } from "./messages.js";
import type { AnyMessage, Flashback, MemoryMessage, Outcome, PlainMessage, Resonance, StoredTurn, UserMessage } from "./types.js";
import type { UnsavedTurn } from "./errors.js";

const UNANSWERED = "-unanswered"; // an answer that comes later under the same id is another turn
const [MOST_SESSIONS, MOST_MESSAGES] = [1000, 100];

export interface TurnOptions {
  /** Stored once under this id; a new one by default. */
  turnId?: string | undefined;
  metadata?: Record<string, unknown> | undefined;
  offTheRecord?: boolean | undefined;
}

/** One turn: send `messages` to the model, and hand its answer to `answer`, or each piece of it to `add`. */
export class Turn<M extends AnyMessage = UserMessage> {
  /** Your messages with memory among them, for the model, in their own type. Keep your own list as it is. */
  messages: (M | MemoryMessage)[];
  resonance: Resonance | null = null;
  stored: StoredTurn | null = null;
  unsaved: UnsavedTurn | null = null;
  /** Whether it ended in a call of tools: what the user said still waits for an answer. */
  callsTools = false;
  /** Whether the model failed, or the reader left: what the user said still waits for a whole answer. */
  brokeOff = false;
  readonly turnId: string;
  readonly #isDated: boolean; // without times of ours, a turn of the caller's own id is the same when it is sent again
  readonly #said: PlainMessage[];
  readonly #answers: PlainMessage[] = [];
  readonly #outcomes = new Map<string, Outcome>();
  #pieces = "";
  #earlier: UnsavedTurn | null = null; // what was said of the same exchange before, and could not be stored

  constructor(
    readonly mind: string,
    readonly session: string,
    readonly given: string | readonly M[],
    readonly options: TurnOptions,
  ) {
    this.turnId = options.turnId ?? crypto.randomUUID();
    this.messages = [...this.#given];
    this.#isDated = options.turnId === undefined;
    this.#said = this.#dated(unanswered(given));
  }

  /** What surfaced, as the model reads it; empty when nothing did. */
  get block(): string {
    return this.resonance?.block ?? "";
  }

  /** What surfaced, with its sources. */
  get flashbacks(): readonly Flashback[] {
    return this.resonance?.flashbacks ?? [];
  }

  /** Take the model's answer: a text, a message, or an answer of OpenAI's or Ollama's API, else a TypeError. Each call adds one message. */
  answer(answer: string | object | null | undefined): void {
    const one = plainMessage({ ...answerOf(answer), role: "assistant" });
    if (one) this.#answers.push(...this.#dated([one]));
  }

  /** Take a piece of an answer that streams: a text, or a chunk of an API, else a TypeError. What came is stored, also when the stream breaks off. */
  add(piece: string | object | null | undefined): void {
    this.#pieces += pieceOf(piece);
  }

  /** Report what became of a flashback; it is stored with the turn. */
  outcome(flashback: string, outcome: Outcome): void {
    this.#outcomes.set(flashback, outcome);
  }

  /** Take what surfaced, and place it. */
  recalled(found: Resonance): void {
    this.resonance = found;
    this.messages = placeMemory(this.#given, found.stable.text ?? "", found.block);
  }

  /** The same exchange after what was said is stored: what surfaced stays, and what is said from now on is another turn. */
  rest(): Turn<M> {
    const rest = new Turn<M>(this.mind, this.session, [], { ...this.options, turnId: undefined });
    rest.resonance = this.resonance;
    rest.#earlier = this.unsaved ?? this.#earlier;
    return rest;
  }

  /** Whether *queued* holds words of the user alone, and all of them are said in this turn: it is stored in its place. */
  replaces(queued: UnsavedTurn): boolean {
    if (!isUnansweredIn(this.mind, this.session, queued)) return false;
    if (queued === this.#earlier) return Boolean(this.#answers.length || this.#pieces);
    const said = new Set(this.#said.map((one) => one.content));
    return messagesOf(queued).every((one) => said.has(one.content));
  }

  /** The body that stores the turn in the place of those *replaced*, without what *waiting* has; null where nobody said a word. */
  body(waiting: UnansweredMessages, replaced: readonly UnsavedTurn[]): Record<string, unknown> | null {
    if (this.#pieces) this.answer(this.#pieces);
    this.#pieces = "";
    const earlier = replaced.filter((one) => one === this.#earlier).flatMap(messagesOf);
    const messages = [...earlier, ...waiting.withoutStored(this.mind, this.session, this.#said, lastAnswer(this.given)), ...this.#answers];
    if (!messages.length) return null;
    const { metadata, offTheRecord } = this.options;
    const trace = this.resonance?.trace_id ?? null;
    return {
      turn_id: this.#answers.length ? this.turnId : this.turnId + UNANSWERED,
      session_id: this.session,
      messages,
      ...(metadata ? { metadata } : {}),
      ...(offTheRecord ? { off_the_record: true } : {}),
      ...(trace ? { trace_id: trace } : {}),
      ...(trace && this.#outcomes.size
        ? { outcomes: [...this.#outcomes].map(([id, outcome]) => ({ id, outcome })) }
        : {}),
    };
  }

  get #given(): readonly M[] {
    return asList(this.given) as unknown as readonly M[]; // a text is the message of a user
  }

  #dated(messages: readonly PlainMessage[]): PlainMessage[] {
    return this.#isDated ? datedNow(messages) : [...messages];
  }

  /** Note that the turn is stored with *body*, or queued: then words beside an answer go with it, and words alone are not stored yet. */
  wasKept(body: Record<string, unknown>, waiting: UnansweredMessages, { isQueued }: { isQueued: boolean }): void {
    if (this.#answers.length && !this.callsTools && !this.brokeOff) {
      waiting.forget(this.mind, this.session);
      return;
    }
    if (this.options.offTheRecord) return;
    const said = (body.messages as PlainMessage[]).filter((one) => one.role === "user");
    const part = this.brokeOff ? this.#answers.at(-1)?.content : undefined;
    waiting.add(this.mind, this.session, said, { part, queuedAs: isQueued && !this.#answers.length ? String(body.turn_id) : undefined });
  }
}

/** *messages* with the time of now where they have none. */
export function datedNow(messages: readonly PlainMessage[]): PlainMessage[] {
  const timestamp = new Date().toISOString();
  return messages.map((one) => ({ timestamp, ...one }));
}

/** Whether *queued* is what the user said in a session, without any answer. */
export function isUnansweredIn(mind: string, session: string, queued: UnsavedTurn): boolean {
  const said = messagesOf(queued);
  return queued.mind === mind && queued.body.session_id === session && said.length > 0 && said.every((one) => one.role === "user");
}

const messagesOf = (unsaved: UnsavedTurn): PlainMessage[] => (unsaved.body.messages ?? []) as PlainMessage[];

interface Waiting {
  words: string;
  /** The turn that has them in the queue; undefined where they are stored. */
  queuedAs: string | undefined;
}

/**
 * The user's messages that still wait for an answer, of the newest thousand sessions.
 *
 * Those that are stored are not stored again with the answer. Those in the queue count as stored once they were sent.
 */
export class UnansweredMessages {
  readonly #waiting = new Map<string, readonly Waiting[]>();
  readonly #parts = new Map<string, string>(); // of an answer that broke off, as far as it came

  /** Remember that *messages* are stored, or wait in the queue as a turn of that id, beside those that already wait. *part* is what came of their answer. */
  add(mind: string, session: string, messages: readonly PlainMessage[], { part, queuedAs }: { part?: string | undefined; queuedAs?: string | undefined } = {}): void {
    const key = keyOf(mind, session);
    const waiting = [...(this.#waiting.get(key) ?? []), ...messages.map((one) => ({ words: one.content, queuedAs }))];
    this.#waiting.delete(key); // so that it is the newest
    this.#waiting.set(key, waiting.slice(-MOST_MESSAGES));
    if (part !== undefined) this.#parts.set(key, part);
    const [oldest] = this.#waiting.keys();
    if (this.#waiting.size > MOST_SESSIONS && oldest) this.#forget(oldest);
  }

  /** Forget the messages of a session: they are answered. */
  forget(mind: string, session: string): void {
    this.#forget(keyOf(mind, session));
  }

  #forget(key: string): void {
    this.#waiting.delete(key);
    this.#parts.delete(key);
  }

  /** Note that a turn that waited in the queue is stored now. */
  wasResent({ mind, turnId, body }: UnsavedTurn): void {
    const key = keyOf(mind, String(body.session_id));
    const found = this.#waiting.get(key);
    if (found) this.#waiting.set(key, found.map((one) => (one.queuedAs === turnId ? { ...one, queuedAs: undefined } : one)));
  }

  /** *messages* without those that are stored already. Where the answer before them, *after*, is the part that came of a broken one, they are said anew. */
  withoutStored(mind: string, session: string, messages: readonly PlainMessage[], after?: string): PlainMessage[] {
    const key = keyOf(mind, session);
    if (after !== undefined && this.#parts.get(key) === after) this.#forget(key);
    const waiting = this.#waiting.get(key) ?? [];
    const stored = waiting.filter((one) => one.queuedAs === undefined).map((one) => one.words);
    return messages.filter((one) => {
      const at = stored.indexOf(one.content);
      if (at >= 0) stored.splice(at, 1);
      return at < 0;
    });
  }
}

const keyOf = (mind: string, session: string): string => JSON.stringify([mind, session]);
