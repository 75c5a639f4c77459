// The service's OpenAPI document as types: `make client` writes schema.d.ts from it.
import type { components, paths } from "./schema.js";

export type { paths };
export type Schemas = components["schemas"];

export type Method = "get" | "post" | "put" | "patch" | "delete";
export type Operation<P extends keyof paths, M extends Method> = M extends keyof paths[P] ? paths[P][M] : never;
type Json<T> = T extends { content: { "application/json": infer J } } ? J : unknown;
type Ok<R> = { [K in keyof R]: K extends 200 | 201 | 202 | 207 ? Json<R[K]> : never }[keyof R];
/** What an operation answers when it succeeds. */
export type Answer<O> = O extends { responses: infer R } ? Ok<R> : never;
export type Query<O> = O extends { parameters: { query?: infer Q } } ? Q : never;
export type Body<O> = O extends { requestBody?: { content: { "application/json": infer B } } } ? B : unknown;

export type Resonance = Schemas["ResonanceOut"];
export type Flashback = Schemas["FlashbackOut"];
export type StoredTurn = Schemas["TurnKept"];
export type StoredBatch = Schemas["BatchKept"];
export type Remembered = Schemas["RememberedOut"];
export type Filter = Schemas["FilterIn"];
export type Outcome = Schemas["OutcomeIn"]["outcome"];

/** A message as the service stores it. */
export type PlainMessage = Schemas["MessageIn"];

type Role = "user" | "assistant" | "system" | "developer" | "tool" | (string & {}); // so that an editor offers them

/** A message of any API, such as OpenAI's, the AI SDK's or your own: its content is a text or parts, and it may hold more. */
export interface AnyMessage {
  role: Role;
  content?: unknown;
}

/** A message with whatever else it holds. */
export interface ChatMessage extends AnyMessage {
  [field: string]: unknown;
}

/** The user's message that a text stands for. */
export interface UserMessage {
  role: "user";
  content: string;
}

/** A message that holds what surfaced. */
export interface MemoryMessage {
  role: "system";
  content: string;
}
