// What else there is to say of a story: how far it is borne out, who is in it, what is open; and how to read its lines.
import type { Schemas } from "../../api/client";
import { counted, percent } from "../../dates";

export function About({ story }: { story: Schemas["StoryTold"] }) {
  return (
    <>
      <section aria-labelledby="fidelity">
        <h2 id="fidelity">How true it is</h2>
        <p>{fidelityOf(story.fidelity)}</p>
        <ul class="legend small">
          <li><span class="line carried">A thin line</span>: it was said.</li>
          <li><span class="line partly">Dots</span>: some words of it were not.</li>
          <li><span class="line in-no-turn">Waves</span>: found in nothing that was said.</li>
          <li><span class="line a-persons">A tint</span>: a person wrote it.</li>
        </ul>
        <p class="quiet small">Click a sentence, or press Alt and Enter in it, to see where it comes from.</p>
      </section>
      {story.people.length > 0 && (
        <section aria-labelledby="people">
          <h2 id="people">Who is who</h2>
          <ul class="list">{story.people.map((one) => <li key={one.name}><strong><bdi>{one.name}</bdi></strong>: {one.who}</li>)}</ul>
        </section>
      )}
      {story.open.length > 0 && (
        <section aria-labelledby="open">
          <h2 id="open">Still open</h2>
          <ul class="list">
            {story.open.map((one) => <li key={one.what}>{one.what} <span class="quiet">(since {one.since}; last: {one.last})</span></li>)}
          </ul>
        </section>
      )}
    </>
  );
}

function fidelityOf(fidelity: Schemas["FidelityOut"] | null): string {
  if (!fidelity) return "Still being looked up.";
  const { share, sentences, partly, in_no_turn } = fidelity;
  if (share === null) return "No sentence of it was told by a model, so there is nothing to look up.";
  const found = `${percent(share)} of ${counted(sentences, "sentence")} ${sentences === 1 ? "was" : "were"} said.`;
  const rest = [
    partly ? `${partly} in part` : "",
    in_no_turn ? `${in_no_turn} found in nothing that was said` : "",
  ].filter(Boolean).join(", ");
  return rest ? `${found} ${rest}.` : found;
}
