// A turn around any model call: what surfaced, placed among the messages, and what was said, to be stored.
import { type Messages, asList, placeMemory, plainMessage, textOfContent, unanswered } from "./messages.js";
import type { ChatMessage, Flashback, Outcome, PlainMessage, Resonance, StoredTurn } from "./types.js";
import type { UnsavedTurn } from "./errors.js";

const UNANSWERED = "-unanswered"; // an answer that comes later under the same id is another turn

export interface TurnOptions {
  /** Stored once under this id; a new one by default. */
  turnId?: string | undefined;
  metadata?: Record<string, unknown> | undefined;
  offTheRecord?: boolean | undefined;
}

/** One turn: send `messages` to the model, and hand its answer to `answer`, or each piece of it to `add`. */
export class Turn {
  /** Your messages with memory among them, for the model. Keep your own list as it is. */
  messages: ChatMessage[];
  resonance: Resonance | null = null;
  stored: StoredTurn | null = null;
  unsaved: UnsavedTurn | null = null;
  readonly turnId: string;
  readonly #said: PlainMessage[];
  readonly #answers: PlainMessage[] = [];
  readonly #outcomes = new Map<string, Outcome>();
  #pieces = "";

  constructor(
    readonly mind: string,
    readonly session: string,
    readonly given: Messages,
    readonly options: TurnOptions,
  ) {
    this.turnId = options.turnId ?? crypto.randomUUID();
    this.messages = [...asList(given)];
    const said = new Date();
    this.#said = unanswered(given).map((one) => ({ timestamp: said.toISOString(), ...one }));
  }

  /** What surfaced, as the model reads it; empty when nothing did. */
  get block(): string {
    return this.resonance?.block ?? "";
  }

  /** What surfaced, with its sources. */
  get flashbacks(): readonly Flashback[] {
    return this.resonance?.flashbacks ?? [];
  }

  /** Take the model's answer: a text, or a message. Each call adds one message. */
  answer(answer: string | ChatMessage): void {
    const message = typeof answer === "string" ? { role: "assistant", content: answer } : { ...answer, role: "assistant" };
    const one = plainMessage({ ...message, content: textOfContent(message.content) });
    if (one) this.#answers.push({ timestamp: new Date().toISOString(), ...one });
  }

  /** Take a piece of an answer that streams. What came is stored, also when the stream breaks off. */
  add(piece: string | null | undefined): void {
    this.#pieces += piece ?? "";
  }

  /** Report what became of a flashback; it is stored with the turn. */
  outcome(flashback: string, outcome: Outcome): void {
    this.#outcomes.set(flashback, outcome);
  }

  /** Take what surfaced, and place it. */
  recalled(found: Resonance): void {
    this.resonance = found;
    this.messages = placeMemory(asList(this.given), found.stable.text ?? "", found.block);
  }

  /** The body that stores the turn; null where nobody said a word. */
  body(): Record<string, unknown> | null {
    if (this.#pieces) this.answer(this.#pieces);
    this.#pieces = "";
    const messages = [...this.#said, ...this.#answers];
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
}
