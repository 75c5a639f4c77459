// One line of a conversation: what a person said, or what was answered, with what came to mind before it.
import { Sources } from "../../parts/sources";
import type { Line } from "./conversation";

interface OneLineProps {
  mind: string;
  of: Line;
  isExplained: boolean;
  explain: (() => void) | undefined;
}

export function OneLine({ mind, of, isExplained, explain }: OneLineProps) {
  const isPerson = of.role === "user";
  return (
    <article class={isExplained ? "message is-explained" : "message"} data-role={of.role}>
      <p class="small quiet">{isPerson ? "You" : <bdi>{mind}</bdi>}{of.isOffRecord && " · off the record"}</p>
      {of.content && <p class="message-words"><bdi>{of.content}</bdi></p>}
      {of.isOpen && !of.content && <p class="quiet">…</p>}
      {of.flashbacks && <CameUp mind={mind} of={of} />}
      {of.problem && <p class="wrong" role="alert">{of.problem}</p>}
      {explain && <button type="button" aria-pressed={isExplained} onClick={explain}>Why?</button>}
    </article>
  );
}

function CameUp({ mind, of }: { mind: string; of: Line }) {
  if (!of.flashbacks?.length) return <p class="quiet">Nothing comes to mind: <bdi>{of.silence}</bdi>.</p>;
  return (
    <>
      <p class="quiet small">This comes to mind:</p>
      <ul class="list">
        {of.flashbacks.map((one) => (
          <li key={one.id}>
            <span class="small label">{one.label}</span> <bdi class="said">{one.text}</bdi>
            <Sources mind={mind} of={one.sources.slice(0, 1)} />
          </li>
        ))}
      </ul>
    </>
  );
}
