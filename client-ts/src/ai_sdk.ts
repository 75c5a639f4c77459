// Middleware for the Vercel AI SDK: memory among the messages of every call, and the exchange stored after it.
// It imports nothing of the SDK: what it needs of it is written here, and is the same in its versions 5, 6 and 7.
import type { MemoryClient, WrapOptions } from "./client.js";
import type { ChatMessage } from "./types.js";
import type { Turn } from "./turn.js";

interface PromptMessage {
  role: string;
  content: unknown;
}

interface CallParams {
  prompt: PromptMessage[];
  abortSignal?: AbortSignal | undefined;
}

interface Part {
  type: string;
  text?: string;
  delta?: string;
  finishReason?: unknown;
}

/** How a step of an exchange ended. */
type Ended = "calls tools" | "answered" | "failed";

const MOST_RUNNING = 100;

export interface MemoryMiddlewareOptions extends Omit<WrapOptions, "signal"> {
  mind: string;
  session: string;
}

// The SDK's own types differ between its versions.
export interface MemoryMiddleware {
  specificationVersion: any;
  transformParams(asked: { params: any; [field: string]: any }): Promise<any>;
  wrapGenerate(asked: { doGenerate: () => PromiseLike<any>; params: any; [field: string]: any }): Promise<any>;
  wrapStream(asked: { doStream: () => PromiseLike<any>; params: any; [field: string]: any }): Promise<any>;
}

/**
 * `wrapLanguageModel({ model, middleware: memoryMiddleware(memory, { mind: "ada", session: "chat-1" }) })`
 *
 * A loop of tools sees the same memory in each of its calls, and is stored as one turn after the last. What it said before
 * another exchange of the session ends is stored with that one, since nobody may go on with it, as at a limit of steps.
 */
export function memoryMiddleware(memory: MemoryClient, options: MemoryMiddlewareOptions): MemoryMiddleware {
  const { mind, session, ...wrap } = options;
  const quiet = wrap.onUnsaved === "raise" ? {} : wrap; // where another error, or another turn, is on its way
  const turns = new WeakMap<object, Turn<ChatMessage>>();
  const running = new Map<string, Turn<ChatMessage>>(); // turns of which a tool is still called, by what the user said

  async function transformParams({ params }: { params: CallParams }): Promise<CallParams> {
    const messages = params.prompt.map(asChatMessage);
    const said = saidBy(messages);
    const known = isContinued(messages) ? running.get(said) : undefined;
    if (known) running.delete(said);
    const turn = known ?? (await memory.begin(mind, session, messages, { ...wrap, signal: params.abortSignal }));
    const changed = { ...params, prompt: placed(params.prompt, turn) };
    turns.set(changed, turn);
    return changed;
  }

  async function over(turn: Turn<ChatMessage> | undefined, prompt: PromptMessage[], ended: Ended): Promise<void> {
    if (!turn) return;
    await storeLeft();
    if (ended !== "failed") turn.callsTools = ended === "calls tools";
    turn.brokeOff = ended === "failed";
    if (ended !== "calls tools") await memory.end(turn, ended === "failed" ? quiet : wrap);
    if (ended === "answered") return;
    running.set(saidBy(prompt.map(asChatMessage)), ended === "failed" ? turn.rest() : turn);
    const [oldest] = running.keys();
    if (running.size > MOST_RUNNING && oldest !== undefined) running.delete(oldest); // the newest alone is not stored yet
  }

  /** Store the turns that called tools before this one ended: nobody may go on with them, as at a limit of steps. */
  async function storeLeft(): Promise<void> {
    for (const [said, left] of running) {
      running.set(said, left.rest());
      await memory.end(left, quiet);
    }
  }

  return {
    specificationVersion: "v3",
    transformParams: transformParams as MemoryMiddleware["transformParams"],
    async wrapGenerate({ doGenerate, params }) {
      const turn = turns.get(params as object);
      const { prompt } = params as CallParams;
      let result: { content: Part[] };
      try {
        result = (await doGenerate()) as { content: Part[] };
      } catch (error) {
        await over(turn, prompt, "failed");
        throw error;
      }
      for (const part of result.content) if (part.type === "text") turn?.add(part.text);
      await over(turn, prompt, result.content.some((part) => part.type === "tool-call") ? "calls tools" : "answered");
      return result;
    },
    async wrapStream({ doStream, params }) {
      const turn = turns.get(params as object);
      const { prompt } = params as CallParams;
      let opened: { stream: ReadableStream<Part> };
      try {
        opened = (await doStream()) as { stream: ReadableStream<Part> };
      } catch (error) {
        await over(turn, prompt, "failed");
        throw error;
      }
      const { stream, ...rest } = opened;
      let callsTools = false;
      let isOver = false;
      const end = async (ended: Ended) => {
        if (isOver) return;
        isOver = true;
        if (turn && callsTools) turn.callsTools = true;
        await over(turn, prompt, ended);
      };
      const reader = stream.getReader();
      const watched = new ReadableStream<Part>({
        async pull(controller) {
          try {
            const { done, value } = await reader.read();
            if (done) {
              await end(callsTools ? "calls tools" : "answered");
              controller.close();
              return;
            }
            if (value.type === "text-delta") turn?.add(value.delta ?? value.text);
            if (value.type === "tool-call") callsTools = true;
            controller.enqueue(value);
          } catch (error) {
            await end("failed");
            controller.error(error);
          }
        },
        async cancel(reason) {
          await reader.cancel(reason).catch(() => undefined);
          await end("failed"); // what came until the reader left is stored
        },
      });
      return { ...rest, stream: watched };
    },
  };
}

/** The prompt with what surfaced: the story at the end of the first system message, the block before the last user message. */
function placed(prompt: PromptMessage[], turn: Turn<ChatMessage>): PromptMessage[] {
  const stable = turn.resonance?.stable.text ?? "";
  const [first, ...others] = prompt;
  const head =
    stable && first?.role === "system"
      ? [{ ...first, content: `${String(first.content)}\n\n${stable}` }, ...others]
      : stable
        ? [{ role: "system", content: stable }, ...prompt]
        : [...prompt];
  if (!turn.block) return head;
  const last = head.map((one) => one.role).lastIndexOf("user");
  return [...head.slice(0, last < 0 ? head.length : last), { role: "system", content: turn.block }, ...(last < 0 ? [] : head.slice(last))];
}

function asChatMessage(message: PromptMessage): ChatMessage {
  const { role, content } = message;
  const callsTools = Array.isArray(content) && content.some((part: Part) => part.type === "tool-call");
  return { role, content, ...(callsTools ? { tool_calls: [] } : {}) };
}

/** What the user said last, by which the calls of one exchange are known. */
function saidBy(messages: readonly ChatMessage[]): string {
  return JSON.stringify(messages.filter((one) => one.role === "user").at(-1)?.content ?? "");
}

/** Whether a tool has answered, so that the exchange goes on. */
const isContinued = (messages: readonly ChatMessage[]): boolean => messages.at(-1)?.role === "tool";
