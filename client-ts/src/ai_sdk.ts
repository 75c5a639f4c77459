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
 * A loop of tools sees the same memory in each of its calls, and is stored as one turn after the last.
 */
export function memoryMiddleware(memory: MemoryClient, options: MemoryMiddlewareOptions): MemoryMiddleware {
  const { mind, session, ...wrap } = options;
  const turns = new WeakMap<object, Turn>();
  const running = new Map<string, Turn>(); // turns of which a tool is still called, by what the user said

  async function transformParams({ params }: { params: CallParams }): Promise<CallParams> {
    const messages = params.prompt.map(asChatMessage);
    const said = saidBy(messages);
    const known = isContinued(messages) ? running.get(said) : undefined;
    const turn = known ?? (await memory.begin(mind, session, messages, { ...wrap, signal: params.abortSignal }));
    running.delete(said);
    const changed = { ...params, prompt: placed(params.prompt, turn) };
    turns.set(changed, turn);
    return changed;
  }

  async function over(turn: Turn | undefined, messages: PromptMessage[], callsTools: boolean): Promise<void> {
    if (!turn) return;
    if (callsTools) running.set(saidBy(messages.map(asChatMessage)), turn);
    else await memory.end(turn, wrap);
  }

  return {
    specificationVersion: "v3",
    transformParams: transformParams as MemoryMiddleware["transformParams"],
    async wrapGenerate({ doGenerate, params }) {
      const turn = turns.get(params as object);
      let result: { content: Part[] };
      try {
        result = (await doGenerate()) as { content: Part[] };
      } catch (error) {
        await over(turn, (params as CallParams).prompt, false);
        throw error;
      }
      for (const part of result.content) if (part.type === "text") turn?.add(part.text);
      await over(turn, (params as CallParams).prompt, result.content.some((part) => part.type === "tool-call"));
      return result;
    },
    async wrapStream({ doStream, params }) {
      const turn = turns.get(params as object);
      const { stream, ...rest } = (await doStream()) as { stream: ReadableStream<Part> };
      let callsTools = false;
      let isOver = false;
      const end = async () => {
        if (!isOver) await over(turn, (params as CallParams).prompt, callsTools);
        isOver = true;
      };
      const reader = stream.getReader();
      const watched = new ReadableStream<Part>({
        async pull(controller) {
          try {
            const { done, value } = await reader.read();
            if (done) {
              await end();
              controller.close();
              return;
            }
            if (value.type === "text-delta") turn?.add(value.delta ?? value.text);
            if (value.type === "tool-call") callsTools = true;
            controller.enqueue(value);
          } catch (error) {
            await end();
            controller.error(error);
          }
        },
        async cancel(reason) {
          await reader.cancel(reason).catch(() => undefined);
          await end(); // what came until the reader left is stored
        },
      });
      return { ...rest, stream: watched };
    },
  };
}

/** The prompt with what surfaced: the story at the end of the first system message, the block before the last user message. */
function placed(prompt: PromptMessage[], turn: Turn): PromptMessage[] {
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
