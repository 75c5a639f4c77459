// Mastra, and its example as it is, against a real service and a scripted model.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createAgent } from "../examples/mastra.js";
import { ASKS, type Knowing, startKnowing } from "./knowing.js";
import { model, promptOf } from "./model.js";
import { soon } from "./waiting.js";

let service: Knowing;
before(async () => {
  service = await startKnowing();
});
after(() => service.stop());

test("the example of Mastra remembers through its tools, and each exchange is one turn", async () => {
  const provider = await model("She lives in Lyon.", { tool: "today" });
  try {
    const agent = createAgent({ memory: service.memory, baseURL: `${provider.url}/v1`, session: "mastra-1" });

    const { text } = await agent.generate(ASKS);

    assert.equal(text, "She lives in Lyon.");
    for (const heard of provider.heard) assert.match(promptOf(heard), /SUBCONSCIOUS RESONANCE.*Lyon/s);
    await soon(async () => (await service.said("mastra-1")).length);
    assert.deepEqual(await service.said("mastra-1"), [[ASKS, "She lives in Lyon."]]);
  } finally {
    await provider.stop();
  }
});
