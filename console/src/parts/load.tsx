// What a page asks for, while it waits, when it has it, and when it was refused.
import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { isAway, Problem } from "../api/client";
import { type Happened, happened } from "../api/events";

export interface Loaded<T> {
  value: T | undefined;
  problem: Problem | undefined;
  isLoading: boolean;
  /** Ask again; what is shown stays until the answer is there. */
  again: () => void;
}

/** Ask when the page opens and whenever one of *on* changes; an answer that comes too late is dropped. */
export function useLoaded<T>(ask: () => Promise<T>, on: readonly unknown[]): Loaded<T> {
  const [state, setState] = useState<{ value?: T; problem?: Problem; isLoading: boolean }>({ isLoading: true });
  const newest = useRef(0);
  const load = useCallback(() => {
    const mine = ++newest.current;
    setState((now) => ({ ...now, isLoading: true }));
    ask().then(
      (value) => mine === newest.current && setState({ value, isLoading: false }),
      (error) => mine === newest.current && setState({ problem: asProblem(error), isLoading: false }),
    );
  }, on);
  useEffect(load, [load]);
  return { value: state.value, problem: state.problem, isLoading: state.isLoading, again: load };
}

/** Call *back* each time the service answers again. Returns what ends it. */
function onReturn(back: () => void): () => void {
  let wasAway = isAway.peek();
  return isAway.subscribe((isNow) => {
    if (wasAway && !isNow) back();
    wasAway = isNow;
  });
}

export function asProblem(error: unknown): Problem {
  return error instanceof Problem ? error : new Problem(0, String(error));
}

const SETTLED_MS = 400;

/** Call *react* a moment after something happened in the mind that *isMeant*, once for a burst of such events. */
export function useHappened(kinds: readonly string[], react: () => void, isMeant: (event: Happened) => boolean = () => true): void {
  const latest = useRef({ react, isMeant });
  latest.current = { react, isMeant };
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = happened.subscribe((event) => {
      if (!event || !kinds.includes(event.kind) || !latest.current.isMeant(event)) return;
      clearTimeout(timer);
      timer = setTimeout(() => latest.current.react(), SETTLED_MS);
    });
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, [kinds.join()]);
}

interface WaitProps<T> {
  of: Loaded<T>;
  children: (value: T) => ComponentChildren;
}

/** Shows what was loaded, else why not. */
export function Wait<T>({ of, children }: WaitProps<T>) {
  if (of.value !== undefined) return <>{children(of.value)}</>;
  if (of.problem) return <Trouble problem={of.problem} again={of.again} />;
  return <Loading />;
}

export function Loading() {
  return <p class="quiet" role="status">Loading…</p>;
}

interface Refused {
  detail: string;
  again: () => void;
}

/** What parts of the page were refused now, in the order in which they were. */
const refused = signal<readonly Refused[]>([]);

/**
 * Where several parts of a page were refused for the same reason, the first one says so, and asks again for all. What
 * nobody answered is asked again by itself, once somebody does.
 */
export function Trouble({ problem, again }: { problem: Problem; again?: () => void }) {
  const { detail, status } = problem;
  useEffect(() => (again && status === 0 ? onReturn(again) : undefined), [status, again]);
  const mine = useRef<Refused | undefined>(undefined);
  useLayoutEffect(() => {
    if (!again) return;
    const own = (mine.current = { detail, again });
    refused.value = [...refused.value, own];
    return () => {
      refused.value = refused.value.filter((one) => one !== own);
    };
  }, [detail, again]);
  const same = again ? refused.value.filter((one) => one.detail === detail) : [];
  if (same.length && same[0] !== mine.current) return null;
  const askAgain = () => (same.length ? same.forEach((one) => one.again()) : again?.());
  return (
    <div class="trouble" role="alert">
      <p>{detail}</p>
      {again && <button type="button" onClick={askAgain}>Try again</button>}
    </div>
  );
}
