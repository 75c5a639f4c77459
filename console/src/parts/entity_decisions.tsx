// What a person decided of an entity, in words that name both names where there are two.
import { get } from "../api/client";
import { type Decision, Decisions, decidedWords, type What } from "./correct";
import { useLoaded } from "./load";

const OF_NAMES: Partial<Record<What, (name: string, to: string) => string>> = {
  merge: (name, to) => `${name} merged into ${to}`,
  split: (name, to) => `${to} split off from ${name}`,
  rename: (name, to) => `${name} renamed ${to}`,
};

/** What a person decided of an entity: of a merge, a split and a new name, both names. */
export function DecisionsOfEntity({ mind, of }: { mind: string; of: readonly Decision[] }) {
  const ofNames = (one: Decision) => OF_NAMES[one.what] !== undefined && one.to !== null;
  return (
    <>
      {of.filter(ofNames).map((one) => <OfNames key={one.id} mind={mind} of={one} />)}
      <Decisions of={of.filter((one) => !ofNames(one))} />
    </>
  );
}

function OfNames({ mind, of }: { mind: string; of: Decision }) {
  const path = { mind_id: mind, correction_id: of.id };
  const { value, isLoading } = useLoaded(() => get("/v1/minds/{mind_id}/corrections/{correction_id}", { path }), [mind, of.id]);
  if (isLoading) return null;
  const name = value?.target.text;
  return <span class="badge is-person"><bdi>{(name && OF_NAMES[of.what]?.(name, of.to ?? "")) || decidedWords(of)}</bdi></span>;
}
