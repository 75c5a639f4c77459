// One request, sent once: its address, its headers, and what came of it.
import { TimedOut, UnexpectedAnswer, Unreachable, Unsendable, refusalOf } from "./errors.js";

const ABORTS = new Set(["TimeoutError", "AbortError"]); // of a body, by its time; some browsers have one name for all

/** Where the service answers, and how it is asked. */
export interface Door {
  /** The address, without a slash at its end. */
  url: string;
  key?: string | null | undefined;
  fetch?: typeof fetch | undefined;
  /** What an error says behind "nobody answered" of the failure that fetch reported. */
  reasonOf?: ((failure: unknown) => string) | undefined;
  /** More for every call of fetch, such as `cache`. */
  init?: RequestInit | undefined;
}

export interface Sent {
  method: string;
  path: string;
  segments?: Record<string, string> | undefined;
  query?: Record<string, unknown> | undefined;
  body?: unknown;
  /** Bytes to send in the place of a body of JSON. */
  bytes?: Blob | Uint8Array<ArrayBuffer> | undefined;
  headers?: Record<string, string> | undefined;
  signal?: AbortSignal | undefined;
}

/** The path with its names filled in, and the query behind it. Raises Unsendable for a name that is missing, or that no address can hold. */
export function addressOf(path: string, segments: Record<string, string> = {}, query: Record<string, unknown> = {}): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => step(segments[name], name));
  const pairs = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined && one !== null && one !== "") pairs.append(name, asText(one));
    }
  }
  return pairs.size ? `${filled}?${pairs}` : filled;
}

/** Send a request once. Raises Unsendable for a body that JSON can not hold, Unreachable where nobody answers, and an abort as it is. */
export async function sendOnce(door: Door, sent: Sent, seconds?: number): Promise<Response> {
  const timer = seconds === undefined ? undefined : AbortSignal.timeout(Math.ceil(seconds * 1000));
  const signals = [sent.signal, timer].filter((one) => one !== undefined);
  const address = door.url + addressOf(sent.path, sent.segments, sent.query);
  const body = sent.bytes ?? (sent.body === undefined ? null : asJson(sent.body));
  try {
    return await (door.fetch ?? fetch)(address, {
      ...door.init,
      method: sent.method.toUpperCase(),
      headers: headersOf(door, sent),
      body,
      signal: signals.length ? AbortSignal.any(signals) : null,
    });
  } catch (error) {
    if (sent.signal?.aborted) throw sent.signal.reason;
    if (timer?.aborted) throw new TimedOut("no answer came in time", { cause: error });
    throw new Unreachable(`nobody answered${door.reasonOf?.(error) ?? ""}`, { cause: error });
  }
}

/** The same, where only a success is an answer. Raises the refusal. */
export async function send(door: Door, sent: Sent, seconds?: number): Promise<Response> {
  const answer = await sendOnce(door, sent, seconds);
  if (answer.ok) return answer;
  throw await refusalOf(answer);
}

/** The body as JSON. Raises TimedOut where it does not end, Unreachable where it breaks off, UnexpectedAnswer where it is not JSON. */
export async function jsonOf(answer: Response, signal?: AbortSignal): Promise<unknown> {
  if (answer.status === 204) return undefined;
  try {
    return await answer.json();
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    if (error instanceof DOMException && ABORTS.has(error.name)) throw new TimedOut("the answer did not end in time", { cause: error });
    if (error instanceof SyntaxError) throw new UnexpectedAnswer("the answer is not JSON", { cause: error });
    throw new Unreachable("the answer broke off", { cause: error });
  }
}

function headersOf(door: Door, sent: Sent): Record<string, string> {
  return {
    ...(sent.bytes ? { "Content-Type": "application/octet-stream" } : {}),
    ...(sent.body === undefined ? {} : { "Content-Type": "application/json" }),
    ...(door.key ? { Authorization: `Bearer ${door.key}` } : {}),
    ...sent.headers,
  };
}

function asJson(body: unknown): string {
  try {
    return JSON.stringify(body);
  } catch (error) {
    throw new Unsendable(`it can not be sent as JSON: ${String(error)}`, { cause: error });
  }
}

/** *text* as one step of a path. Raises Unsendable for "." and "..", which fetch resolves, encoded ones too, and for half of a surrogate pair. */
function step(text = "", name: string): string {
  try {
    if (!/^\.{0,2}$/.test(text)) return encodeURIComponent(text);
  } catch {
    // half of an emoji
  }
  throw new Unsendable(`${name} can not be ${JSON.stringify(text)}`);
}

function asText(value: unknown): string {
  return value instanceof Date ? value.toISOString() : String(value);
}
