// The first page: every mind of this home, and three ways to begin when there is none.
import { useEffect } from "preact/hooks";
import { get, type Schemas } from "./api/client";
import { counted, percent } from "./dates";
import { Late } from "./parts/late";
import { Loading, Wait } from "./parts/load";
import { More, usePaged } from "./parts/paged";
import { When } from "./parts/time";
import { replace, to } from "./router";

type Mind = Schemas["MindStandingOut"];

const begin = () => import("./begin");

export function Minds() {
  const found = usePaged<Mind>(async (by) => {
    const { minds, next_cursor } = await get("/v1/status", { query: by });
    return { items: minds, next_cursor };
  }, []);
  const minds = found.value;
  useEffect(() => {
    document.title = "Mind Memory";
    const [only, ...others] = minds ?? [];
    if (only && !others.length) replace(to(only.mind_id));
  }, [minds]);
  if (minds?.length === 1) return <Loading />; // its page comes in a moment
  return (
    <Wait of={found}>
      {(minds) =>
        minds.length ? (
          <section class="page">
            <h1>Minds</h1>
            <ul class="cards">{minds.map((one) => <Card key={one.mind_id} mind={one} />)}</ul>
            <More of={found} one="mind" />
          </section>
        ) : (
          <Late load={begin} />
        )
      }
    </Wait>
  );
}

function Card({ mind }: { mind: Mind }) {
  return (
    <li class="card">
      <h2><a href={to(mind.mind_id)}>{mind.mind_id}</a></h2>
      <Figures of={mind} />
      {mind.waiting_for && <p class="wrong">Waiting for {mind.waiting_for}</p>}
    </li>
  );
}

/** Nothing where a mind's worker is away, or its files can not be read. */
function Figures({ of: { turns, sessions, resonance, lag, parked } }: { of: Mind }) {
  if (turns === null || sessions === null || !resonance || !lag || parked === null) return null;
  const { calls, surfaced, last_at } = resonance;
  const waiting = lag.saving + lag.indexing + lag.extracting;
  return (
    <>
      <p>{counted(turns, "turn")} in {counted(sessions, "conversation")}</p>
      <p class="quiet">
        {calls ? `Kept silent in ${percent(1 - surfaced / calls)} of the ${counted(calls, "time")} it was asked` : "Not asked yet"}
        {last_at && <>, last asked <When at={last_at} /></>}
      </p>
      {waiting > 0 && <p>{counted(waiting, "turn")} being read</p>}
      {parked > 0 && <p class="wrong">{counted(parked, "turn")} could not be read</p>}
    </>
  );
}
