// The client: the two calls of a turn, several turns at once, recall, outcomes, chats through the proxy, events.
import { MindMemoryError, MindNotFound, TurnUnsaved, UnexpectedAnswer, type UnsavedTurn, doesPass, isForGood, isOfItsMind } from "./errors.js";
import { type Door, type Sent, jsonOf } from "./http.js";
import { type Messages, asList, newestThatFit, plainMessages } from "./messages.js";
import { RETRY, type Repeat, type RetryPolicy, readAgain, sendAgain } from "./retry.js";
import { type ChatChunk, type ServerEvent, chunksOf, eventsOf, followed } from "./streams.js";
import { Turn, type TurnOptions, UnansweredMessages, datedNow, isUnansweredIn } from "./turn.js";
import type {
  AnyMessage, Answer, Body, ChatMessage, Filter, Method, Operation, Outcome, paths, PlainMessage, Query, Remembered, Resonance, Schemas, StoredBatch, StoredTurn, UserMessage,
} from "./types.js";

const DEFAULT_URL = "http://127.0.0.1:8001";
const PRE_TURN_SECONDS = 10; // where the caller leaves the deadline to the service
const ROUND_TRIP_SECONDS = 2; // added to a deadline, which the service counts without the way there and back
const CHAT_SECONDS = 600;
const EVENTS_SECONDS = 3600; // of one answer, which the service ends after a quarter of that
const MOST_UNSAVED = 1000;
const RESEND_MS = 1000; // after a turn, for turns that waited; what is left is sent after the next one

export interface ClientOptions {
  /** The address of the service; `MIND_MEMORY_URL`, or this machine, by default. */
  url?: string;
  /** The API key; `MIND_MEMORY_KEY` by default. */
  key?: string;
  retry?: Partial<RetryPolicy>;
  /** Another fetch than the runtime's. */
  fetch?: typeof fetch;
}

export interface Signalled {
  /** Ends the call, and its attempts. The reason is thrown as it is. */
  signal?: AbortSignal | undefined;
}

/** One call of any route. */
export interface Asked<O> extends Signalled {
  /** Values of the names in braces of the path. */
  path?: Record<string, string>;
  query?: Query<O>;
  body?: Body<O>;
  headers?: Record<string, string>;
}

export interface Recall extends Signalled {
  deadlineMs?: number | undefined;
  timezone?: string | undefined;
  now?: Date | string | undefined;
  maxFragments?: number | undefined;
  maxTokens?: number | undefined;
  relevance?: number | undefined;
  query?: string | undefined;
  include?: Schemas["ResonanceIn"]["include"] | undefined;
  /** Only these turns count. */
  filter?: Filter | undefined;
  /** Other minds whose memories may surface, too. */
  alsoRead?: readonly string[] | undefined;
  offTheRecord?: boolean | undefined;
  knownStoryEtag?: string | undefined;
}

export interface Stored extends TurnOptions, Signalled {
  kind?: "turn" | "heartbeat" | "probe" | "import";
  traceId?: string;
  outcomes?: Readonly<Record<string, Outcome>>;
}

/** A turn of a batch: as the service takes it, with an id of yours or one that is made for it. */
export type BatchedTurn = Partial<Omit<Schemas["TurnOfBatch"], "session_id" | "messages">> & { session_id: string; messages: Messages };

export interface WrapOptions extends Recall, TurnOptions {
  /** `raise` where the turn must not go on without memory. */
  onFailure?: "silent" | "raise";
  /** What to do with a turn that can not be stored: queue it (by default), take it, or raise TurnUnsaved. */
  onUnsaved?: ((unsaved: UnsavedTurn) => void) | "raise";
}

/** How a chat through the proxy is remembered. */
export interface ChatOptions extends Signalled {
  mind: string;
  session?: string;
  timezone?: string;
  /** Nothing is recalled and nothing is stored. */
  bypass?: boolean;
  /** A request that is repeated with the same key is stored once; a new one by default. */
  idempotencyKey?: string;
}

export interface ChatBody {
  model?: string;
  messages: readonly (AnyMessage | ChatMessage)[];
  [field: string]: unknown;
}

/** What memory did for a chat: `surfaced`, `silent`, `bypassed` or `failed`, and the trace that says why. */
export interface ChatMemory {
  memory: string;
  traceId: string | null;
}

export interface StreamedChat extends ChatMemory {
  /** The chunks as they come, each with its new words. */
  chunks: AsyncGenerator<ChatChunk>;
}

/** A memory service. */
export class MemoryClient {
  /** Turns that could not be stored, oldest first; they are sent again after the next one that can. */
  readonly unsaved: UnsavedTurn[] = [];
  readonly #door: Door;
  readonly #policy: RetryPolicy;
  readonly #waiting = new UnansweredMessages();
  #isResending = false;
  #resent: { unsaved: UnsavedTurn; done: Promise<unknown> } | null = null; // the turn of the queue that is just being sent

  constructor(options: ClientOptions = {}) {
    const url = options.url ?? environment("MIND_MEMORY_URL") ?? DEFAULT_URL;
    if (!/^https?:\/\/[^/]+/.test(url)) throw new TypeError(`${url} is not the address of a service, such as ${DEFAULT_URL}`);
    const key = options.key ?? environment("MIND_MEMORY_KEY");
    if (key && !/^[!-~]([ -~]*[!-~])?$/.test(key.trim())) throw new TypeError("the key holds characters that no HTTP header can");
    const bare = url.replace(/\/+$/, "");
    this.#door = { url: bare, key, fetch: options.fetch, reasonOf: (failure) => ` at ${bare}: ${reasonOf(failure)}` };
    this.#policy = { ...RETRY, ...options.retry };
  }

  // A turn

  /** Ask before a turn what surfaces. A mind without a turn is silent. */
  async resonance(mind: string, session: string, messages: Messages, options: Recall = {}): Promise<Resonance> {
    const { deadlineMs } = options;
    const own = deadlineMs === undefined ? PRE_TURN_SECONDS : deadlineMs ? deadlineMs / 1000 + ROUND_TRIP_SECONDS : undefined;
    const body = {
      session_id: session,
      messages: newestThatFit(messages),
      deadline_ms: deadlineMs,
      timezone: options.timezone,
      now: options.now instanceof Date ? options.now.toISOString() : options.now,
      max_fragments: options.maxFragments,
      max_tokens: options.maxTokens,
      relevance: options.relevance,
      query: options.query,
      include: options.include,
      filter: options.filter,
      also_read: options.alsoRead,
      off_the_record: options.offTheRecord || undefined,
      known_story_etag: options.knownStoryEtag,
    };
    const sent = { method: "post", path: "/v1/minds/{mind_id}/resonance", segments: { mind_id: mind }, body, signal: options.signal };
    try {
      return (await this.#json(sent, { isRepeatable: true, maxAttempts: 2, totalSeconds: own })) as Resonance;
    } catch (error) {
      if (error instanceof MindNotFound) return silence(mind, messages, "this mind does not exist yet", []);
      throw error;
    }
  }

  /** Store a turn. It is on disk when this resolves, and stored once in any number of attempts. */
  async storeTurn(mind: string, session: string, messages: Messages, options: Stored = {}): Promise<StoredTurn> {
    return this.#store(mind, {
      turn_id: options.turnId ?? crypto.randomUUID(),
      session_id: session,
      messages: plainMessages(messages),
      kind: options.kind,
      off_the_record: options.offTheRecord || undefined,
      metadata: options.metadata,
      trace_id: options.traceId,
      outcomes: options.outcomes && Object.entries(options.outcomes).map(([id, outcome]) => ({ id, outcome })),
    }, options.signal);
  }

  /** Store up to 100 turns in order, each once under its id. One that is refused has a `problem`; the others are stored. */
  async storeTurns(mind: string, turns: Iterable<BatchedTurn>, { signal }: Signalled = {}): Promise<StoredBatch> {
    const body = {
      turns: [...turns].map((one) => ({ ...one, turn_id: one.turn_id ?? crypto.randomUUID(), messages: plainMessages(one.messages) })),
    };
    return (await this.#json({ method: "post", path: "/v1/minds/{mind_id}/turns/batch", segments: { mind_id: mind }, body, signal })) as StoredBatch;
  }

  /**
   * Wrap a model call: recall, your work with the turn, and storing what was said, also when your work throws.
   *
   * When memory fails, the turn goes on without it. A turn that can not be stored waits in `unsaved`.
   */
  async turn<T, M extends AnyMessage = UserMessage>(
    mind: string, session: string, messages: string | readonly M[], work: (turn: Turn<M>) => Promise<T> | T, options: WrapOptions = {},
  ): Promise<T> {
    const turn = await this.begin(mind, session, messages, options);
    let done: T;
    try {
      done = await work(turn);
    } catch (error) {
      turn.brokeOff = true;
      await this.end(turn, { onUnsaved: options.onUnsaved === "raise" ? undefined : options.onUnsaved });
      throw error;
    }
    await this.end(turn, options);
    return done;
  }

  /** The first half of `turn`: what surfaces, placed among the messages. */
  async begin<M extends AnyMessage = UserMessage>(
    mind: string, session: string, messages: string | readonly M[], options: WrapOptions = {},
  ): Promise<Turn<M>> {
    const turn = new Turn(mind, session, messages, options);
    if (!plainMessages(messages).length) return turn;
    try {
      turn.recalled(await this.resonance(mind, session, messages, options));
    } catch (error) {
      if (options.signal?.aborted || options.onFailure === "raise" || !(error instanceof MindMemoryError)) throw error;
      if (!doesPass(error)) console.error(`nothing surfaces in ${mind}: ${error.message}`);
      turn.recalled(silence(mind, messages, error.message, ["memory_unavailable"]));
    }
    return turn;
  }

  /** The second half: store what was said. Nothing is stored where nobody said a word. */
  async end(turn: Turn<AnyMessage>, options: Pick<WrapOptions, "onUnsaved"> = {}): Promise<void> {
    await this.#wordsAreSent(turn);
    const replaced = this.#take((one) => turn.replaces(one));
    let isKept = false;
    try {
      isKept = await this.#end(turn, replaced, options.onUnsaved);
    } finally {
      if (!isKept) this.unsaved.unshift(...replaced);
    }
    if (turn.stored) await this.#resendAll();
  }

  /** Send a turn again that could not be stored. */
  async resend(unsaved: UnsavedTurn): Promise<StoredTurn> {
    const stored = await this.#store(unsaved.mind, unsaved.body);
    this.#waiting.wasResent(unsaved);
    return stored;
  }

  // Recall on purpose, and what became of memories

  /** Search facts, entities, episodes and observations, best first. */
  async remember(
    mind: string,
    query: string,
    options: Omit<Query<Operation<"/v1/minds/{mind_id}/remember", "get">>, "query" | "metadata"> & { metadata?: Filter["metadata"] } & Signalled = {},
  ): Promise<Remembered> {
    const { signal, metadata, ...asked } = options;
    const sent = { method: "get", path: "/v1/minds/{mind_id}/remember", segments: { mind_id: mind }, signal };
    return (await this.#json({ ...sent, query: { query, ...asked, metadata: metadata && JSON.stringify(metadata) } })) as Remembered;
  }

  /** Report what became of flashbacks, by their ids; null where there is nothing to report. */
  async reportOutcomes(
    mind: string, outcomes: Readonly<Record<string, Outcome>>, { traceId, signal }: { traceId?: string } & Signalled = {},
  ): Promise<Schemas["OutcomesApplied"] | null> {
    const told = Object.entries(outcomes).map(([id, outcome]) => ({ id, outcome }));
    if (!told.length) return null;
    const body = { trace_id: traceId, outcomes: told };
    const sent = { method: "post", path: "/v1/minds/{mind_id}/outcomes", segments: { mind_id: mind }, body, signal };
    return (await this.#json(sent)) as Schemas["OutcomesApplied"];
  }

  // Chats through the proxy

  /** A chat with memory: the answer of the configured model, in OpenAI's format. */
  async chat(body: ChatBody, options: ChatOptions): Promise<{ completion: Schemas["CompletionOut"] } & ChatMemory> {
    const answer = await this.#chat({ ...body, stream: false }, options);
    const completion = (await jsonOf(answer, options.signal)) as Schemas["CompletionOut"];
    return { completion, ...memoryOf(answer) };
  }

  /** The same as it is answered, chunk by chunk. What was said until you stop reading is stored. */
  async chatStream(body: ChatBody, options: ChatOptions): Promise<StreamedChat> {
    const answer = await this.#chat({ ...body, stream: true }, options);
    return { chunks: chunksOf(answer, options.signal), ...memoryOf(answer) };
  }

  /**
   * What happens in a mind, as it happens: ids and no words. From now on, or first what happened after `lastId`.
   *
   * An answer that ends or breaks off is asked for again, and a service that is away is waited for, so this goes on until you
   * stop, or until the service refuses. A `reset` says that events may be missing. Without `follow`, it ends with what was missed.
   */
  async *events(mind: string, { lastId, follow = true, signal }: { lastId?: string; follow?: boolean } & Signalled = {}): AsyncGenerator<ServerEvent> {
    const ask = async (last: string | undefined, until: AbortSignal | undefined) => {
      const headers: Record<string, string> = last ? { "Last-Event-ID": last } : {};
      const query = { follow: String(follow) };
      const sent = { method: "get", path: "/v1/minds/{mind_id}/events", segments: { mind_id: mind }, query, headers, signal: until };
      const answer = await sendAgain(this.#door, sent, { isRepeatable: true, totalSeconds: EVENTS_SECONDS }, this.#policy);
      if (answer.headers.get("Content-Type")?.startsWith("text/event-stream")) return answer;
      await answer.body?.cancel();
      throw new UnexpectedAnswer("the answer is not a stream of events");
    };
    yield* follow ? followed(ask, this.#policy, { lastId, signal }) : eventsOf(await ask(lastId, signal), signal);
  }

  /** Any route of the API, typed by its document. Only a GET is sent a second time, unless `isRepeatable` says so. */
  async call<M extends Method, P extends keyof paths>(
    method: M, path: P, asked: Asked<Operation<P, M>> & { isRepeatable?: boolean } = {},
  ): Promise<Answer<Operation<P, M>>> {
    const { path: segments, query, body, headers, signal, isRepeatable = method === "get" } = asked;
    const sent: Sent = { method, path: String(path), segments, query: query as Record<string, unknown>, body, headers, signal };
    return (await this.#json(sent, { isRepeatable })) as Answer<Operation<P, M>>;
  }

  #chat(body: Record<string, unknown>, options: ChatOptions): Promise<Response> {
    const headers: Record<string, string> = {
      "X-Mind-Id": headerOf(options.mind),
      "Idempotency-Key": options.idempotencyKey ?? crypto.randomUUID(),
      ...(options.session ? { "X-Session-Id": headerOf(options.session) } : {}),
      ...(options.timezone ? { "X-Timezone": options.timezone } : {}),
      ...(options.bypass ? { "X-Memory-Bypass": "1" } : {}),
    };
    const sent = { method: "post", path: "/v1/chat/completions", body: { model: "memory", ...body }, headers, signal: options.signal };
    // Not repeatable where it is not clear what was done: a model that answers twice costs twice.
    return sendAgain(this.#door, sent, { isRepeatable: false, totalSeconds: CHAT_SECONDS }, this.#policy);
  }

  async #store(mind: string, body: Record<string, unknown>, signal?: AbortSignal): Promise<StoredTurn> {
    return (await this.#json({ method: "post", path: "/v1/minds/{mind_id}/turns", segments: { mind_id: mind }, body, signal })) as StoredTurn;
  }

  async #json(sent: Sent, how: Repeat = { isRepeatable: true }): Promise<unknown> {
    return readAgain(this.#door, sent, how, this.#policy, (answer) => jsonOf(answer, sent.signal));
  }

  /** Store a turn in the place of those *replaced*, or queue it. Returns whether it is stored or queued. */
  async #end(turn: Turn<AnyMessage>, replaced: readonly UnsavedTurn[], onUnsaved: WrapOptions["onUnsaved"]): Promise<boolean> {
    const body = turn.body(this.#waiting, replaced);
    if (!body) return false;
    try {
      turn.stored = await this.#store(turn.mind, body);
    } catch (error) {
      if (!(error instanceof MindMemoryError)) throw error;
      body.messages = datedNow(body.messages as PlainMessage[]); // it may be sent much later
      const unsaved = { mind: turn.mind, turnId: String(body.turn_id), body, error };
      turn.unsaved = unsaved;
      if (onUnsaved === "raise") throw new TurnUnsaved(unsaved);
      if (onUnsaved) {
        onUnsaved(unsaved);
        return false;
      }
      console.error(`turn ${unsaved.turnId} of ${unsaved.mind} is not stored but queued: ${error.message}`);
      this.#queue(unsaved);
      turn.wasKept(body, this.#waiting, { isQueued: true });
      return true;
    }
    turn.wasKept(body, this.#waiting, { isQueued: false });
    return true;
  }

  /** Wait while words of the turn's session are sent out of the queue: only then it is known whether they are stored. */
  async #wordsAreSent({ mind, session }: Turn<AnyMessage>): Promise<void> {
    while (this.#resent && isUnansweredIn(mind, session, this.#resent.unsaved)) await this.#resent.done.catch(() => undefined);
  }

  /** Take the turns out of the queue that *isTaken* says. */
  #take(isTaken: (unsaved: UnsavedTurn) => boolean): UnsavedTurn[] {
    const taken = this.unsaved.filter(isTaken);
    if (taken.length) this.unsaved.splice(0, Infinity, ...this.unsaved.filter((one) => !taken.includes(one)));
    return taken;
  }

  /** Put turns behind those that wait. Where there are too many, the oldest are lost, which is logged. */
  #queue(...turns: readonly UnsavedTurn[]): void {
    this.unsaved.push(...turns);
    for (const { turnId } of this.unsaved.splice(0, this.unsaved.length - MOST_UNSAVED)) {
      console.error(`turn ${turnId} is lost: too many turns could not be stored`);
    }
  }

  /** Send what waits in `unsaved`, oldest first, until the service is away or busy or a second is over: a bot waits. */
  async #resendAll(): Promise<void> {
    if (this.#isResending) return; // the turn that ended before this one sends them
    this.#isResending = true;
    const refused = new Set<UnsavedTurn>(); // they wait behind the others, and are not sent twice now
    const until = performance.now() + RESEND_MS;
    try {
      while (this.unsaved[0] && !refused.has(this.unsaved[0]) && performance.now() < until) {
        const [oldest] = this.unsaved.splice(0, 1) as [UnsavedTurn];
        const done = this.#resendOne(oldest, refused);
        this.#resent = { unsaved: oldest, done };
        if (!(await done)) return;
      }
    } finally {
      this.#resent = null;
      this.#isResending = false;
    }
  }

  /** Send a turn that was taken from the queue, and put it back where it may be stored later. Returns whether to go on. */
  async #resendOne(unsaved: UnsavedTurn, refused: Set<UnsavedTurn>): Promise<boolean> {
    try {
      await this.resend(unsaved);
    } catch (error) {
      if (error instanceof MindMemoryError && isOfItsMind(error)) {
        refused.add(unsaved);
        this.#queue(unsaved);
      } else if (error instanceof MindMemoryError && isForGood(error)) {
        console.error(`turn ${unsaved.turnId} of ${unsaved.mind} is lost: ${error.message}`);
      } else {
        this.unsaved.unshift(unsaved);
        this.#queue(); // those that came meanwhile may be too many with it
        if (!(error instanceof MindMemoryError)) throw error;
        return false;
      }
    }
    return true;
  }
}

/** *name* as the value of a header: its bytes in UTF-8, since fetch refuses what is not Latin-1. */
const headerOf = (name: string): string => String.fromCharCode(...new TextEncoder().encode(name));

function memoryOf(answer: Response): ChatMemory {
  return { memory: answer.headers.get("X-Memory") ?? "", traceId: answer.headers.get("X-Memory-Trace-Id") };
}

/** The answer where nothing can surface. */
function silence(mind: string, messages: Messages, why: string, degraded: string[]): Resonance {
  return {
    mind_id: mind,
    trace_id: null,
    surfaced: false,
    silence: why,
    flashbacks: [],
    block: "",
    stable: { text: "", etag: "" },
    volatile: { text: "" },
    messages: asList(messages).map((one) => ({ ...one })),
    degraded,
    timings_ms: {},
    usage: { calls: 0, prompt_tokens: 0, completion_tokens: 0, cost_usd: 0 },
  };
}

function environment(name: string): string | undefined {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  try {
    return process?.env?.[name] || undefined;
  } catch {
    return undefined; // Deno without --allow-env
  }
}

/** What the runtime says of a failure: Node has a code, such as ECONNREFUSED, in the cause of an error that says nothing. */
function reasonOf(failure: unknown): string {
  const { cause, message } = failure as Error & { cause?: { code?: string; message?: string } };
  return cause?.code || cause?.message || message;
}
