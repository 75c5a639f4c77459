// The only place that calls the service, typed by its OpenAPI document (`npm run check` writes schema.d.ts).
import { signal } from "@preact/signals";
import { forget, token } from "../session";
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
  body: string | undefined;
}

/** The calls that the present page made, newest first: each page shows them, to copy. */
export const calls = signal<readonly Call[]>([]);

const MOST_CALLS = 12;

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
  const address = addressOf(path, asked.path ?? {}, asked.query as Record<string, unknown> | undefined);
  const body = asked.bytes ?? (asked.body === undefined ? undefined : JSON.stringify(asked.body));
  note(method, address, asked);
  let answer: Response;
  try {
    answer = await fetch(`..${address}`, {
      method: method.toUpperCase(),
      headers: headersOf(asked),
      body: body ?? null,
      signal: asked.abort ?? null,
      cache: "no-store",
    });
  } catch (error) {
    if (asked.abort?.aborted) throw error;
    throw new Problem(0, "The service does not answer. Is it still running?");
  }
  if (answer.ok) return answer;
  if (answer.status === 401) forget();
  throw await problemOf(answer);
}

function headersOf(asked: Asked<never> | Asked<unknown>): Record<string, string> {
  const known = token();
  return {
    ...(asked.bytes ? { "Content-Type": "application/octet-stream" } : {}),
    ...(asked.body === undefined ? {} : { "Content-Type": "application/json" }),
    ...(known ? { Authorization: `Bearer ${known}` } : {}),
    ...asked.headers,
  };
}

function addressOf(path: string, segments: Segments, query: Record<string, unknown> = {}): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(segments[name] ?? ""));
  const pairs = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined && one !== null && one !== "") pairs.append(name, String(one));
    }
  }
  return pairs.size ? `${filled}?${pairs}` : filled;
}

function note(method: string, address: string, asked: Asked<never> | Asked<unknown>): void {
  const body = asked.body === undefined ? undefined : JSON.stringify(asked.body);
  const call = { method: method.toUpperCase(), address, body };
  const others = calls.value.filter((one) => one.address !== address || one.method !== call.method);
  calls.value = [call, ...others].slice(0, MOST_CALLS);
}

async function problemOf(answer: Response): Promise<Problem> {
  const said = (await answer.json().catch(() => ({}))) as Record<string, unknown>;
  const detail = said.detail ?? said.title ?? `The service answered ${answer.status}.`;
  return new Problem(answer.status, String(detail), said);
}
