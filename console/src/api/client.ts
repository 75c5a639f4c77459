// The only place that calls the service, by the TypeScript client's transport, typed by its OpenAPI document (`npm run check` writes schema.d.ts).
import { signal } from "@preact/signals";
import { MindMemoryError, RequestRefused, Unreachable } from "../../../client-ts/src/errors.js";
import { addressOf, send as sendOver } from "../../../client-ts/src/http.js";
import { AWAY, forget, token } from "../session";
import type { components, paths } from "./schema";

export type Schemas = components["schemas"];

type Method = "get" | "post" | "put" | "patch" | "delete";
type Operation<P extends keyof paths, M extends Method> = M extends keyof paths[P] ? paths[P][M] : never;
type Json<T> = T extends { content: { "application/json": infer J } } ? J : unknown;
type Ok<R> = { [K in keyof R]: K extends 200 | 201 | 202 ? Json<R[K]> : never }[keyof R];
type Answer<O> = O extends { responses: infer R } ? Ok<R> : never;
type Query<O> = O extends { parameters: { query?: infer Q } } ? Q : never;
type Body<O> = O extends { requestBody?: { content: { "application/json": infer B } } } ? B : unknown;

type Segments = Record<string, string>;

export interface Asked<O> {
  /** Values of the names in braces of the path. */
  path?: Segments;
  query?: Query<O>;
  body?: Body<O>;
  headers?: Record<string, string>;
  /** Bytes to send in the place of a body of JSON. */
  bytes?: Blob;
  abort?: AbortSignal;
}

/** An answer that is not what was asked for: problem+json, or nobody answered (status 0). */
export class Problem extends Error {
  constructor(
    readonly status: number,
    readonly detail: string,
    readonly more: Record<string, unknown> = {},
  ) {
    super(detail);
  }
}

export interface Call {
  method: string;
  address: string;
  /** Those that are of this call alone, such as If-Match. */
  headers: Readonly<Record<string, string>>;
  body: string | undefined;
  /** A file was sent. */
  isFile: boolean;
}

/** The calls that the present page made, newest first: each page shows them, to copy. */
export const calls = signal<readonly Call[]>([]);

const MOST_CALLS = 12;

/** Whether the newest call of this tab reached nobody. */
export const isAway = signal(false);

export const get = <P extends keyof paths>(path: P, asked: Asked<Operation<P, "get">> = {}) =>
  send<P, "get">("get", path, asked);
export const post = <P extends keyof paths>(path: P, asked: Asked<Operation<P, "post">> = {}) =>
  send<P, "post">("post", path, asked);
export const put = <P extends keyof paths>(path: P, asked: Asked<Operation<P, "put">> = {}) =>
  send<P, "put">("put", path, asked);
export const patch = <P extends keyof paths>(path: P, asked: Asked<Operation<P, "patch">> = {}) =>
  send<P, "patch">("patch", path, asked);
export const remove = <P extends keyof paths>(path: P, asked: Asked<Operation<P, "delete">> = {}) =>
  send<P, "delete">("delete", path, asked);

async function send<P extends keyof paths, M extends Method>(
  method: M,
  path: P,
  asked: Asked<Operation<P, M>>,
): Promise<Answer<Operation<P, M>>> {
  const answer = await raw(method, String(path), asked);
  if (answer.status === 204) return undefined as Answer<Operation<P, M>>;
  return (await answer.json()) as Answer<Operation<P, M>>;
}

/** The answer itself: for a stream, a file, or a header. Raises Problem. */
export async function raw(method: Method, path: string, asked: Asked<never> | Asked<unknown> = {}): Promise<Response> {
  const query = asked.query as Record<string, unknown> | undefined;
  const { path: segments, body, bytes, headers, abort } = asked;
  try {
    note(method, addressOf(path, segments, query), asked);
    const answer = await sendOver(
      { url: "..", key: token(), init: { cache: "no-store" } },
      { method, path, segments, query, body, bytes, headers, signal: abort },
    );
    isAway.value = false;
    return answer;
  } catch (error) {
    if (error instanceof MindMemoryError) isAway.value = error instanceof Unreachable;
    throw problemOf(error);
  }
}

function note(method: string, address: string, asked: Asked<never> | Asked<unknown>): void {
  const body = asked.body === undefined ? undefined : JSON.stringify(asked.body);
  const call = { method: method.toUpperCase(), address, headers: asked.headers ?? {}, body, isFile: asked.bytes !== undefined };
  const others = calls.value.filter((one) => one.address !== address || one.method !== call.method);
  calls.value = [call, ...others].slice(0, MOST_CALLS);
}

/** How the service says that wrong keys come too often from this address; a key that calls too often is told otherwise. */
const WITHOUT_KEY = /without a valid key/;

function problemOf(error: unknown): unknown {
  if (error instanceof Unreachable) return new Problem(0, AWAY);
  if (!(error instanceof RequestRefused)) return error instanceof MindMemoryError ? new Problem(0, error.message) : error;
  if (error.status === 401 || (error.status === 429 && WITHOUT_KEY.test(error.detail))) forget();
  const detail = error.detail || error.title || `The service answered ${error.status}.`;
  return new Problem(error.status, detail, { ...error.problem });
}
