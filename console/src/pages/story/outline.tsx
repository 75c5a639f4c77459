import { readableTime } from "../../parts/editor/heading_time";
import type { Part } from "../../parts/sections";
import { to } from "../../router";

interface OutlineProps {
  mind: string;
  chapters: readonly Part[];
  digests: readonly string[];
  /** Headings of the chapters that a person edited. */
  byPerson: ReadonlySet<string>;
  at: string;
  reveal: (chapter: Part) => void;
}

/** The chapters by date, with a pen where a person edited. */
export function Outline({ mind, chapters, digests, byPerson, at, reveal }: OutlineProps) {
  return (
    <nav class="outline" aria-label="Chapters">
      <ol>
        {chapters.map((one, place) => (
          <li key={place}>
            <a
              href={to(mind, "story", digests[place] ?? "")}
              aria-current={at && digests[place] === at ? "true" : undefined}
              onClick={() => reveal(one)}
            >
              <span class="quiet small">{readableTime(one.time.slice(0, 10))}</span>
              <bdi class="title">{one.title || "Without a title"}</bdi>
              {byPerson.has(one.heading) && <span class="pen small"><span aria-hidden="true">✎</span> a person edited it</span>}
            </a>
          </li>
        ))}
      </ol>
    </nav>
  );
}
