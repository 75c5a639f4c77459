// What the tests share, for a page: the services are started by browser/harness.ts, and called under the page's own origin.
import { MemoryClient } from "mind-memory-client";
import type { Heard, Reply, RunningService, Scripted } from "../service.js";
import type { Started } from "./harness.js";

async function ask<T>(path: string, body?: unknown): Promise<T> {
  const answer = await fetch(path, { method: "POST", body: JSON.stringify(body ?? {}) });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as T;
}

/** The address under the page's origin, which the page's server passes on. */
const own = ({ number }: Started): string => `${location.origin}/at/${number}`;
const stop = ({ number }: Started) => async () => void (await ask(`/stop/${number}`));

export async function startService({ key: isGuarded = false } = {}): Promise<RunningService & { direct: string }> {
  const started = await ask<Started>("/start", { key: isGuarded });
  const { key, url: direct } = started;
  const url = own(started);
  const memory = new MemoryClient({ url, retry: { totalSeconds: 120 }, ...(key ? { key } : {}) });
  return { url, direct, key, memory, stop: stop(started) };
}

export async function scripted(replies: readonly Reply[], headers: Record<string, string> = {}): Promise<Scripted> {
  const started = await ask<Started>("/start", { replies, headers });
  return { url: own(started), heard: () => ask<Heard[]>(`/heard/${started.number}`), stop: stop(started) };
}
