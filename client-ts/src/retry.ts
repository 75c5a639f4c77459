// How often a call is sent, and when. The rules are those of the Python client, so that a turn is stored once.
import { MindMemoryError, TimedOut, Unreachable, refusalOf, retryAfterOf } from "./errors.js";
import { type Door, type Sent, sendOnce } from "./http.js";

/**
 * How often a call is tried, and how long.
 *
 * Whichever limit comes first ends it: `maxAttempts` where a service is away, which is known at once, after some 1.4
 * seconds of pauses; `totalSeconds`, of all attempts and pauses, where answers do not come. Each pause is twice as long as
 * the one before, and at least as long as the service asks for by `Retry-After`.
 */
export interface RetryPolicy {
  maxAttempts: number;
  totalSeconds: number;
  firstBackoffSeconds: number;
  maxBackoffSeconds: number;
}

export const RETRY: RetryPolicy = { maxAttempts: 4, totalSeconds: 30, firstBackoffSeconds: 0.2, maxBackoffSeconds: 5 };

/** What is known of a call: whether doing it twice is doing it once, its own limits, and what else counts as an answer. */
export interface Repeat {
  isRepeatable: boolean;
  maxAttempts?: number | undefined;
  totalSeconds?: number | undefined;
}

const REFUSED_UNTOUCHED = new Set([429, 503, 507]); // nothing was done
const UNCLEAR = new Set([502, 504]); // something in between does not know
const LEAST_SECONDS = 0.05;

/** Try a call until it is answered, refused for good, aborted, or the policy ends it. The body is yours to read. */
export function sendAgain(door: Door, sent: Sent, how: Repeat, policy: RetryPolicy): Promise<Response> {
  return readAgain(door, sent, how, policy, async (answer) => answer);
}

/** The same up to the end of the answer, which *read* reads: one that breaks off is no answer. */
export async function readAgain<T>(door: Door, sent: Sent, how: Repeat, policy: RetryPolicy, read: (answer: Response) => Promise<T>): Promise<T> {
  const until = now() + (how.totalSeconds ?? policy.totalSeconds);
  const most = Math.min(policy.maxAttempts, how.maxAttempts ?? policy.maxAttempts);
  for (let made = 1; ; made++) {
    const tried = await attempt(door, sent, Math.max(until - now(), LEAST_SECONDS), read);
    if ("answered" in tried) return tried.answered;
    const pause = pauseAfter(tried, how, policy, made);
    if (pause === null || made >= most || now() + pause >= until) throw tried instanceof Response ? await refusalOf(tried) : tried;
    if (tried instanceof Response) await tried.body?.cancel();
    await sleep(pause, sent.signal);
  }
}

async function attempt<T>(
  door: Door, sent: Sent, seconds: number, read: (answer: Response) => Promise<T>,
): Promise<{ answered: T } | Response | MindMemoryError> {
  try {
    const answer = await sendOnce(door, sent, seconds);
    return answer.ok ? { answered: await read(answer) } : answer;
  } catch (error) {
    if (error instanceof Unreachable || error instanceof TimedOut) return error;
    throw error;
  }
}

/** The seconds before the next attempt; null where there must be none. */
function pauseAfter(tried: Response | MindMemoryError, how: Repeat, policy: RetryPolicy, made: number): number | null {
  const grown = Math.min(policy.firstBackoffSeconds * 2 ** (made - 1), policy.maxBackoffSeconds);
  const backoff = grown * (0.5 + Math.random());
  if (!(tried instanceof Response)) return how.isRepeatable ? backoff : null;
  if (REFUSED_UNTOUCHED.has(tried.status)) return backoff + (retryAfterOf(tried) ?? 0);
  return UNCLEAR.has(tried.status) && how.isRepeatable ? backoff : null;
}

const now = (): number => performance.now() / 1000;

/** Wait. Raises the reason of an abort. */
export function sleep(seconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((go, fail) => {
    const stop = () => {
      clearTimeout(timer);
      fail(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      go();
    }, seconds * 1000);
    if (signal?.aborted) stop();
    else signal?.addEventListener("abort", stop, { once: true });
  });
}
