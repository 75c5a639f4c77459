import type { Candidate } from "../../api/trace";
import { When } from "../time";
import { armsOf } from "./words";

/** A memory that was found: its words, how near it came, and how it was found. */
export function CandidateLine({ of, because = "" }: { of: Candidate; because?: string }) {
  return (
    <li class="candidate">
      <p class="said"><bdi>{of.text}</bdi></p>
      <p class="small quiet">
        <Score of={of.score} /> {armsOf(of)}, <When at={of.occurred_at ?? ""} as="day" />
        {of.boosted && " · lifted, since it names somebody in the message"}
        {because && <> · {because}</>}
      </p>
    </li>
  );
}

function Score({ of }: { of: number }) {
  return (
    <span class="score">
      <span class="bar" aria-hidden="true"><span style={{ width: `${Math.round(Math.min(1, Math.max(0, of)) * 100)}%` }} /></span>
      {of.toFixed(2)}
    </span>
  );
}
