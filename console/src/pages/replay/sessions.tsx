// The conversations of a mind by day, newest first.
import { useEffect, useRef, useState } from "preact/hooks";
import { get, type Schemas } from "../../api/client";
import { counted, day } from "../../dates";
import { Loading, Trouble, type Loaded } from "../../parts/load";
import { attempt } from "../../parts/toast";
import { useWalk } from "../../parts/walk";
import { to } from "../../router";

type Page = Schemas["SessionsOut"];
type Session = Page["items"][number];

export const sessionsOf = (mind: string, cursor?: string): Promise<Page> =>
  get("/v1/minds/{mind_id}/sessions", { path: { mind_id: mind }, query: { limit: 50, ...(cursor ? { cursor } : {}) } });

interface SessionsProps {
  mind: string;
  /** The session that is read. */
  current: string;
  first: Loaded<Page>;
  /** Keys walk this list: there is no conversation beside it. */
  walks: boolean;
}

export function Sessions({ mind, current, first, walks }: SessionsProps) {
  const [more, setMore] = useState<readonly Session[]>([]);
  const [cursor, setCursor] = useState<string | null>(null);
  useEffect(() => {
    setMore([]);
    setCursor(first.value?.next_cursor ?? null);
  }, [first.value]);
  const load = () =>
    void attempt(async () => {
      const page = await sessionsOf(mind, cursor ?? "");
      setMore((now) => [...now, ...page.items]);
      setCursor(page.next_cursor);
    });
  const list = useRef<HTMLElement>(null);
  useWalk(list, { Enter: ["open the conversation", ""] }, !walks || !first.value);
  if (first.problem) return <Trouble problem={first.problem} again={first.again} />;
  if (!first.value) return <Loading />;
  const all = [...first.value.items, ...more];
  return (
    <nav ref={list} class="sessions" aria-label="Conversations">
      <h2>Conversations</h2>
      {[...byDay(all)].map(([name, sessions]) => (
        <div key={name}>
          <h3 class="small quiet">{name}</h3>
          <ul class="list">{sessions.map((one) => <OneSession key={one.session_id} mind={mind} of={one} isCurrent={one.session_id === current} />)}</ul>
        </div>
      ))}
      {cursor && <button type="button" onClick={load}>Older conversations</button>}
    </nav>
  );
}

function OneSession({ mind, of, isCurrent }: { mind: string; of: Session; isCurrent: boolean }) {
  return (
    <li>
      <a href={to(mind, "replay", of.session_id)} data-walk aria-current={isCurrent ? "page" : undefined}>
        <span class="opening"><bdi>{of.opening || of.session_id}</bdi></span>
        <span class="small quiet">{counted(of.turns, "turn")} · <bdi>{of.speakers.join(", ")}</bdi></span>
      </a>
    </li>
  );
}

function byDay(sessions: readonly Session[]): Map<string, Session[]> {
  const days = new Map<string, Session[]>();
  for (const one of sessions) days.set(day(one.last_at), [...(days.get(day(one.last_at)) ?? []), one]);
  return days;
}
