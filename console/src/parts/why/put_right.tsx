// The ways to put a memory right, with what a person decided of it before.
import { useState } from "preact/hooks";
import { get, type Schemas } from "../../api/client";
import { CorrectionButtons, Decisions, LONGEST_EDIT, type Target, wordsOfTurn } from "../correct";
import { useLoaded, Wait } from "../load";

const KINDS = { fact: "fact", entity: "entity", episode: "turn" } as const;

/** What a correction of a memory names; none for what can not be put right here. */
export function targetOf(id: string): Target | null {
  const kind = KINDS[id.split(":")[0] as keyof typeof KINDS];
  return kind ? { kind, id, turn_ids: [] } : null;
}

export function PutRight({ mind, id }: { mind: string; id: string }) {
  const [isOpen, setOpen] = useState(false);
  const target = targetOf(id);
  if (!target) return null;
  return (
    <>
      <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>Put it right…</button>
      {isOpen && <Ways mind={mind} id={id} target={target} />}
    </>
  );
}

interface Standing {
  words?: string | undefined;
  decided: readonly Schemas["DecisionOut"][];
}

function Ways({ mind, id, target }: { mind: string; id: string; target: Target }) {
  const standing = useLoaded(() => standingOf(mind, id, target), [mind, id]);
  return (
    <Wait of={standing}>
      {({ words, decided }) => (
        <div class="put-right">
          <Decisions of={decided} />
          <CorrectionButtons mind={mind} target={target} words={words} decided={decided} then={standing.again} />
        </div>
      )}
    </Wait>
  );
}

async function standingOf(mind: string, id: string, { kind }: Target): Promise<Standing> {
  if (kind === "fact") {
    const fact = await get("/v1/minds/{mind_id}/facts/{fact_id}", { path: { mind_id: mind, fact_id: id } });
    return { words: fact.text, decided: fact.corrections };
  }
  if (kind === "entity") {
    const entity = await get("/v1/minds/{mind_id}/entities/{entity_id}", { path: { mind_id: mind, entity_id: id } });
    return { words: entity.summary.length <= LONGEST_EDIT ? entity.summary : undefined, decided: entity.corrections };
  }
  const turn = await get("/v1/minds/{mind_id}/turns/{turn_id}", { path: { mind_id: mind, turn_id: id } });
  const all = await get("/v1/minds/{mind_id}/corrections", { path: { mind_id: mind }, query: { limit: 500 } });
  return { words: wordsOfTurn(turn.messages), decided: all.items.filter((one) => isOf(one, turn.turn_id)) };
}

const isOf = ({ state, target }: Schemas["CorrectionOut"], turn: string): boolean =>
  state === "stands" && target.kind === "turn" && target.turn_ids.includes(turn);
