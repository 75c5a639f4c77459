// Messages of any API as the service stores them, and memory placed among them.
import { isRecord } from "./errors.js";
import type { AnyMessage, ChatMessage, MemoryMessage, PlainMessage } from "./types.js";

const KNOWN_ROLES = new Set(["user", "assistant", "system", "tool", "thought"]);
const ROLES: Record<string, string> = { developer: "system", function: "tool", human: "user", ai: "assistant", model: "assistant" };
const TEXT_PARTS = new Set(["text", "input_text", "output_text"]);
// Events whose `delta` is what the bot says; in others it is reasoning, the arguments of a tool or a sound.
const TEXT_DELTAS = new Set([
  "text-delta", "response.text.delta", "response.output_text.delta", "response.refusal.delta",
  "response.audio.transcript.delta", "response.audio_transcript.delta", "response.output_audio_transcript.delta",
]);
const MOST_MESSAGES = 2000;
const LONGEST_CONTENT = 400_000;
const MOST_BYTES = 900_000;

/** A conversation: one text of the user, or messages, newest last, of an interface or with any other fields. */
export type Messages = string | readonly (AnyMessage | ChatMessage)[];

export function asList(messages: Messages): readonly ChatMessage[] {
  return typeof messages === "string" ? [{ role: "user", content: messages }] : (messages as readonly ChatMessage[]);
}

/** *text* with "�" for each half of a surrogate pair that is alone: no service takes a body that holds one. */
function sendable(text: string): string {
  return text.replace(/\p{Surrogate}/gu, "\uFFFD");
}

/** The text of a message's content: a text, or the text of its parts. */
export function textOfContent(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content
    .map((part: unknown) => {
      if (typeof part === "string") return part;
      const { type = "text", text } = (part ?? {}) as { type?: string; text?: unknown };
      return TEXT_PARTS.has(type) && typeof text === "string" ? text : "";
    })
    .filter(Boolean)
    .join("\n");
}

/** An answer as a message: of a text, a message, or an answer of OpenAI's or Ollama's API. Throws TypeError for anything else. */
export function answerOf(answer: unknown): Record<string, unknown> {
  if (answer === null || answer === undefined || typeof answer === "string") return { content: answer };
  const { choices, message, output_text: text } = answer as Record<string, unknown>;
  if (typeof text === "string") return { content: text };
  const [choice = { message: { content: null } }] = Array.isArray(choices) ? (choices as { message?: unknown }[]) : [{ message }];
  const found = isMessage(answer) ? answer : choice.message;
  if (!isMessage(found)) throw new TypeError("an answer is a text, a message, or an answer of OpenAI's or Ollama's API: pass its text");
  return { ...found, content: found.content }; // of a class it is not copied
}

/** The words of a piece of an answer that streams: a text, or a chunk of OpenAI's, Anthropic's or Ollama's API. Throws TypeError for anything else. */
export function pieceOf(piece: unknown): string {
  if (piece === null || piece === undefined) return "";
  if (typeof piece === "string") return piece;
  const { choices, type, delta, message } = piece as Record<string, unknown>;
  if (Array.isArray(choices)) return textOfContent((choices[0] as { delta?: ChatMessage } | undefined)?.delta?.content);
  if (typeof type === "string") {
    if (typeof delta !== "string") return textOfContent((delta as { text?: unknown } | undefined)?.text);
    return TEXT_DELTAS.has(type) ? delta : "";
  }
  if (!isMessage(message)) throw new TypeError("a piece of an answer is a text, or a chunk of OpenAI's, Anthropic's or Ollama's API");
  return textOfContent(message.content);
}

function isMessage(value: unknown): value is Record<string, unknown> {
  return isRecord(value) && ["content", "tool_calls", "function_call"].some((name) => name in value);
}

/** The messages that have words, as the service takes them. */
export function plainMessages(messages: Messages): PlainMessage[] {
  return asList(messages)
    .map(plainMessage)
    .filter((one) => one !== null);
}

/** A message as the service takes it, whose words are in `content`, or in `parts` as the AI SDK's pages have them; null where it has none. */
export function plainMessage(message: ChatMessage): PlainMessage | null {
  const named = ROLES[message.role] ?? message.role;
  const role = KNOWN_ROLES.has(named) ? named : "user";
  const content = sendable(textOfContent(message.content ?? message.parts));
  if (!content.trim()) return null;
  const { name, timestamp } = message;
  return {
    role: role as PlainMessage["role"],
    content,
    ...(typeof name === "string" && role !== "tool" ? { name: sendable(name) } : {}),
    ...(timestamp instanceof Date ? { timestamp: timestamp.toISOString() } : {}),
    ...(typeof timestamp === "string" ? { timestamp } : {}),
  };
}

/** The newest messages, as many as the service takes in one request; a message too long keeps its end. */
export function newestThatFit(messages: Messages): PlainMessage[] {
  const found: PlainMessage[] = [];
  let room = MOST_BYTES;
  for (const one of plainMessages(messages).slice(-MOST_MESSAGES).reverse()) {
    const short = { ...one, content: sendable(one.content.slice(-LONGEST_CONTENT)) };
    room -= new TextEncoder().encode(JSON.stringify(short)).length + 1;
    if (room < 0 && found.length) break;
    found.push(short);
  }
  return found.reverse();
}

/** What the user said since the last answer; calls of tools and their results come before an answer. */
export function unanswered(messages: Messages): PlainMessage[] {
  const found: PlainMessage[] = [];
  for (const message of [...asList(messages)].reverse()) {
    const one = plainMessage(message);
    if (one === null) continue;
    if (one.role === "assistant" && !message.tool_calls) break;
    if (one.role === "user") found.push(one);
  }
  return found.reverse();
}

/** What the bot said last; undefined where it said nothing yet. */
export function lastAnswer(messages: Messages): string | undefined {
  return plainMessages(messages).filter((one) => one.role === "assistant").at(-1)?.content;
}

/**
 * Messages with memory among them: `stable` ends the first system message, so that a provider's prompt cache holds until
 * the story changes, and `block` is a system message before the user's last one. Other messages are the same objects.
 */
export function placeMemory<M extends AnyMessage>(messages: readonly M[], stable: string, block: string): (M | MemoryMessage)[] {
  const placed = stable ? inFirstSystem(messages, stable) : [...messages];
  if (!block) return placed;
  const last = placed.map((one) => one.role).lastIndexOf("user");
  placed.splice(last < 0 ? placed.length : last, 0, { role: "system", content: block });
  return placed;
}

function inFirstSystem<M extends AnyMessage>(messages: readonly M[], text: string): (M | MemoryMessage)[] {
  const [first, ...others] = messages;
  if (first === undefined || !["system", "developer"].includes(first.role)) {
    return [{ role: "system", content: text }, ...messages];
  }
  const { content } = first;
  const longer = Array.isArray(content) ? [...content, { type: "text", text }] : content ? `${String(content)}\n\n${text}` : text;
  return [{ ...first, content: longer }, ...others];
}
