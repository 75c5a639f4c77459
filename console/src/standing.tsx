// The dot at the top right: green, or what is wrong in words.
import { useEffect } from "preact/hooks";
import { get, isAway } from "./api/client";
import { useLoaded } from "./parts/load";
import { AWAY } from "./session";

const [EVERY_MS, WHILE_AWAY_MS] = [15_000, 3000];

export function Standing() {
  const trouble = useLoaded(readTrouble, []);
  const isGone = isAway.value;
  useEffect(() => {
    const timer = setInterval(trouble.again, isGone ? WHILE_AWAY_MS : EVERY_MS);
    return () => clearInterval(timer);
  }, [trouble.again, isGone]);
  const said = isGone ? AWAY : (trouble.problem?.detail ?? trouble.value ?? "");
  return (
    <span class={said ? "standing is-wrong" : "standing"} role="status">
      <span class="dot" aria-hidden="true" />
      {said || <span class="only-read">All is well</span>}
    </span>
  );
}

async function readTrouble(): Promise<string> {
  const { dependencies } = await get("/v1/status", { query: { limit: 1 } });
  const found = dependencies.filter((one) => one.trouble);
  return found.map((one) => `${one.name}: ${one.trouble}`).join(" · ");
}
