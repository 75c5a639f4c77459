// What a dream changed in the agent's files, line by line, as a diff: what came, what went, what is over, what matters more or less.
import type { Schemas } from "../../api/client";
import { counted, day } from "../../dates";
import { LEVELS } from "./levels";

type Change = Schemas["DreamChangeOut"];

interface Way {
  mark: string;
  words: string;
  look: "came" | "went" | "moved";
}

const WAYS: Record<Change["what"], Way> = {
  observed: { mark: "+", words: "Observed", look: "came" },
  rule: { mark: "+", words: "A rule for itself", look: "came" },
  over: { mark: "−", words: "Said that this is over", look: "went" },
  pruned: { mark: "−", words: "Tidied away", look: "went" },
  relevelled: { mark: "±", words: "Matters otherwise", look: "moved" },
};

export function Changes({ of, isUndone }: { of: readonly Change[]; isUndone: boolean }) {
  if (!of.length) return null;
  return (
    <details>
      <summary>What it changed: {counted(of.length, "line")}</summary>
      <ul class="list changed">{of.map((one, at) => <One key={at} of={one} isUndone={isUndone} />)}</ul>
    </details>
  );
}

function One({ of, isUndone }: { of: Change; isUndone: boolean }) {
  const { mark, words, look } = WAYS[of.what];
  const isGone = look === "came" && !of.is_there;
  return (
    <li class={`change is-${look}`}>
      <span class="change-mark" aria-hidden="true">{mark}</span>
      <div>
        <p class={isGone ? "said ended" : "said"}>{of.text}</p>
        <p class="small quiet">
          {words}{levelWords(of)}{of.day && `, of ${day(`${of.day}T12:00`)}`}{isGone && !isUndone && ", and no longer there"}
        </p>
      </div>
    </li>
  );
}

function levelWords({ what, level, was }: Change): string {
  if (!level) return "";
  const now = LEVELS[level].words;
  if (what === "relevelled") return was ? `: ${now}, it was ${LEVELS[was].words}` : `: ${now}`;
  return `, ${now}`;
}
