// Every error of this client is a MindMemoryError; one that the service answered is a RequestRefused.

/** Base of every error of this client. */
export class MindMemoryError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** Nobody answered. The service may have acted on the request all the same. */
export class Unreachable extends MindMemoryError {}

/** No answer came in time. */
export class TimedOut extends Unreachable {}

/** Something answered, but not as Mind Memory does. */
export class UnexpectedAnswer extends MindMemoryError {}

/** The call holds what can not be sent, such as a bigint in `metadata`, or a mind that is called "..". It was never sent. */
export class Unsendable extends MindMemoryError {}

/** A field that the service refused: a JSON pointer such as `#/messages/0/content`, and the reason. */
export interface InvalidField {
  pointer: string;
  detail: string;
}

/** The service refused: its status, and its problem document (RFC 9457). */
export class RequestRefused extends MindMemoryError {
  readonly slug: string;
  readonly title: string;
  readonly detail: string;
  readonly errors: readonly InvalidField[];

  constructor(
    readonly status: number,
    readonly problem: Readonly<Record<string, unknown>>,
    /** Seconds; null where the service does not say. */
    readonly retryAfter: number | null = null,
  ) {
    const slug = String(problem.type ?? "").split("/").pop() ?? "";
    const title = String(problem.title ?? "");
    const detail = String(problem.detail ?? "");
    super(`${status} ${slug || title}: ${detail || title}`);
    this.slug = slug;
    this.title = title;
    this.detail = detail;
    this.errors = Array.isArray(problem.errors) ? (problem.errors as InvalidField[]) : [];
  }
}

/** The request does not fit the API; `errors` says which fields. */
export class InvalidRequest extends RequestRefused {}
/** The service wants a key, and this client sent none or one that is not valid. */
export class Unauthenticated extends RequestRefused {}
/** The service does not answer this key, this machine or this web page. */
export class Forbidden extends RequestRefused {}
/** What the call names does not exist. */
export class NotFound extends RequestRefused {}
/** The mind does not exist, or the key is not for it. */
export class MindNotFound extends NotFound {}
/** The call contradicts what is stored, or the mind is being erased. */
export class Conflict extends RequestRefused {}
/** The turn was erased and is not stored again. */
export class Erased extends RequestRefused {}
/** Somebody changed the text meanwhile: `current` is what it is now, `etag` the tag to edit that one. */
export class Changed extends RequestRefused {
  get current(): string | null {
    return typeof this.problem.current === "string" ? this.problem.current : null;
  }
  get etag(): string | null {
    return typeof this.problem.etag === "string" ? this.problem.etag : null;
  }
}
/** The key asks too often; `retryAfter` says how many seconds to wait. */
export class RateLimited extends RequestRefused {}
/** The service failed, or can not do this at the moment. */
export class Unavailable extends RequestRefused {}

/** A turn could not be stored: `memory.resend(error.unsaved)` sends it again, and it is stored once. */
export class TurnUnsaved extends MindMemoryError {
  constructor(readonly unsaved: UnsavedTurn) {
    super(`turn ${unsaved.turnId} of ${unsaved.mind} is not stored: ${unsaved.error.message}`, { cause: unsaved.error });
  }
}

/** A turn that could not be stored, as the body of its request, with its id. */
export interface UnsavedTurn {
  mind: string;
  turnId: string;
  body: Record<string, unknown>;
  error: MindMemoryError;
}

type Kind = new (status: number, problem: Readonly<Record<string, unknown>>, retryAfter: number | null) => RequestRefused;

const BY_SLUG: Record<string, Kind> = { "mind-not-found": MindNotFound };
const BY_STATUS: Record<number, Kind> = {
  400: InvalidRequest,
  401: Unauthenticated,
  403: Forbidden,
  404: NotFound,
  409: Conflict,
  410: Erased,
  412: Changed,
  413: InvalidRequest,
  415: InvalidRequest,
  421: Forbidden,
  422: InvalidRequest,
  428: InvalidRequest,
  429: RateLimited,
};

/** The error for an answer that is not a success. */
export async function refusalOf(answer: Response): Promise<MindMemoryError> {
  const type = answer.headers.get("Content-Type") ?? "";
  const isJson = type.startsWith("application/problem+json") || type.startsWith("application/json");
  const said: unknown = isJson ? await answer.json().catch(() => null) : await answer.body?.cancel().catch(() => null);
  const { status } = answer;
  if (!isRecord(said) && status < 500 && !(status in BY_STATUS)) {
    return new UnexpectedAnswer(`something answered ${status}, but not as Mind Memory does`);
  }
  const problem = isRecord(said) ? asProblem(said) : { title: `HTTP ${status}` };
  const slug = String(problem.type ?? "").split("/").pop() ?? "";
  const kind = BY_SLUG[slug] ?? BY_STATUS[status] ?? (status >= 500 ? Unavailable : RequestRefused);
  return new kind(status, problem, retryAfterOf(answer));
}

/**
 * `Retry-After` in seconds; null where it is missing, or neither a number nor a date.
 *
 * A date counts from the answer's own `Date`, without which it says nothing: our clock may be another one.
 */
export function retryAfterOf(answer: Response): number | null {
  const value = answer.headers.get("Retry-After") ?? "";
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value);
  const [until, since] = [dateOf(value), dateOf(answer.headers.get("Date") ?? "")];
  return until === null || since === null ? null : Math.max((until - since) / 1000, 0);
}

/** A date as HTTP writes it, in milliseconds. */
function dateOf(value: string): number | null {
  const found = / GMT$/.test(value) ? Date.parse(value) : NaN;
  return Number.isNaN(found) ? null : found;
}

/** Whether the same call may succeed later, as it is: nobody answered, or not for now. */
export function doesPass(error: unknown): boolean {
  return [Unreachable, RateLimited, Unavailable].some((kind) => error instanceof kind);
}

/** Whether the same turn is refused whenever it comes. */
export function isForGood(error: MindMemoryError): boolean {
  return [InvalidRequest, Conflict, Erased, Unsendable].some((kind) => error instanceof kind);
}

/** Whether a turn is refused because of its mind alone, as with a key for other minds: the next turn may be stored. */
export function isOfItsMind(error: MindMemoryError): boolean {
  return error instanceof NotFound || error instanceof Forbidden;
}

/** The proxy answers errors in OpenAI's format. */
function asProblem(said: Record<string, unknown>): Record<string, unknown> {
  if (!isRecord(said.error)) return said;
  const { message, code } = said.error;
  return { ...said, type: `/problems/${String(code ?? "")}`, title: String(message ?? ""), detail: String(message ?? "") };
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
