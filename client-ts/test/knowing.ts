// A service whose mind ada knows where the mother lives, for the tests of frameworks.
import { type RunningService, startService } from "./service.js";
import { digested } from "./waiting.js";

export const ASKS = "Where does my mother live?";

export interface Knowing extends RunningService {
  /** What was said in each turn of a session. */
  said(session: string): Promise<string[][]>;
}

export async function startKnowing(): Promise<Knowing> {
  const service = await startService();
  await service.memory.storeTurn("ada", "s0", "My mother lives in Lyon.");
  await digested(service.memory, "ada");
  return {
    ...service,
    async said(session) {
      const asked = { path: { mind_id: "ada" }, query: { session_id: session } };
      const { items } = await service.memory.call("get", "/v1/minds/{mind_id}/turns", asked);
      return items.map((one) => one.messages.map((message) => message.content));
    },
  };
}
