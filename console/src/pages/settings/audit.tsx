// Who changed what: the audit log, newest first, and whether its chain is whole.
import { useState } from "preact/hooks";
import { raw } from "../../api/client";
import { useLoaded, Wait } from "../../parts/load";
import { When } from "../../parts/time";

interface Page {
  items: Record<string, unknown>[];
  is_intact: boolean;
  fault: string | null;
  next_cursor: string | null;
}

export function Audit() {
  const [cursor, setCursor] = useState("");
  const query = { limit: 30, ...(cursor ? { cursor } : {}) } as never;
  const page = useLoaded(async () => (await (await raw("get", "/v1/audit", { query })).json()) as Page, [cursor]);
  return (
    <details>
      <summary><h2>What was changed, and by whom</h2></summary>
      <Wait of={page}>
        {({ items, is_intact, fault, next_cursor }) => (
          <>
            <p class={is_intact ? "quiet" : "wrong"}>{is_intact ? "The chain is whole: no line was changed or taken out." : `The chain is broken: ${fault}`}</p>
            <ul class="list">{items.map((one, at) => <Line key={at} of={one} />)}</ul>
            {cursor && <button type="button" onClick={() => setCursor("")}>Newest</button>}
            {next_cursor && <button type="button" onClick={() => setCursor(next_cursor)}>Older</button>}
          </>
        )}
      </Wait>
    </details>
  );
}

function Line({ of: { at, event, by, ...more } }: { of: Record<string, unknown> }) {
  const rest = Object.entries(more).filter(([, value]) => typeof value !== "object" || value !== null);
  return (
    <li>
      {typeof at === "string" && <When at={at} as="moment" />} <b>{String(event ?? "")}</b> <span class="quiet">by {String(by ?? "?")}</span>{" "}
      <code class="small">{rest.map(([name, value]) => `${name}=${JSON.stringify(value)}`).join(" ")}</code>
    </li>
  );
}
