// Waiting for what a service does in the background.
import type { MemoryClient } from "mind-memory-client";

const GIVE_UP_MS = 120_000;
const OFTEN_MS = 30;

/** Look again and again until something is so. */
export async function soon<T>(look: () => T | undefined | false | Promise<T | undefined | false>): Promise<T> {
  const until = Date.now() + GIVE_UP_MS;
  while (Date.now() < until) {
    const found = await look();
    if (found) return found;
    await new Promise((go) => setTimeout(go, OFTEN_MS));
  }
  throw new Error("it never came true");
}

/** Wait until every turn of a mind is read. */
export async function digested(memory: MemoryClient, mind: string): Promise<void> {
  await soon(async () => {
    const { graph, last_sequence: last } = await memory.call("get", "/v1/minds/{mind_id}", { path: { mind_id: mind } });
    return graph.saved >= last && graph.lag === 0;
  });
}
