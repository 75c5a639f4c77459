// The dot at the top right: green, or what is wrong in words.
import { useEffect } from "preact/hooks";
import { get } from "./api/client";
import { useLoaded } from "./parts/load";

const EVERY_MS = 15_000;

export function Standing() {
  const trouble = useLoaded(readTrouble, []);
  useEffect(() => {
    const timer = setInterval(trouble.again, EVERY_MS);
    return () => clearInterval(timer);
  }, [trouble.again]);
  const said = trouble.problem?.detail ?? trouble.value ?? "";
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
