// The files of the journal, those without a day and then the days.
import { useRef } from "preact/hooks";
import type { JournalFile } from "../../api/journal";
import { day } from "../../dates";
import { useWalk } from "../../parts/walk";
import { to } from "../../router";

const ALWAYS = "MEMORY.md";
const MOST = 200;
const ABOUT: Record<string, string> = {
  "README.md": "what these files are",
  "SOUL.md": "who the bot is",
  "PURPOSE.md": "what it is for",
  "MEMORY.md": "your notes for it; they come up when they fit",
};

interface FilesProps {
  mind: string;
  /** Null where the service does not list them. */
  files: readonly JournalFile[] | null;
  at: string;
}

/** The files: those without a day, then the days, newest first. */
export function Files({ mind, files, at }: FilesProps) {
  const list = useRef<HTMLElement>(null);
  useWalk(list, { Enter: ["open the file", ""] }, !files?.length);
  if (files === null) return <nav aria-label="Files"><a href={to(mind, "journal", ALWAYS)}>{ALWAYS}</a></nav>;
  if (!files.length) return <p class="quiet">There is no file yet. Put one into the folder memory/ of this mind.</p>;
  const dated = files.filter((one) => one.date).sort((a, b) => (b.date ?? "").localeCompare(a.date ?? ""));
  const groups = [
    { name: "Without a day", files: files.filter((one) => !one.date) },
    { name: "By day", files: dated.slice(0, MOST) },
  ];
  return (
    <nav ref={list} class="outline" aria-label="Files">
      {groups.filter((group) => group.files.length).map((group) => (
        <section key={group.name}>
          <h2>{group.name}</h2>
          <ol>{group.files.map((one) => <OneFile key={one.path} mind={mind} of={one} isOpen={one.path === at} />)}</ol>
        </section>
      ))}
      {dated.length > MOST && <p class="quiet small">{dated.length - MOST} older ones are found by searching.</p>}
    </nav>
  );
}

function OneFile({ mind, of, isOpen }: { mind: string; of: JournalFile; isOpen: boolean }) {
  return (
    <li>
      <a href={to(mind, "journal", of.path)} data-walk aria-current={isOpen ? "true" : undefined}>
        <span class="title">{of.date ? day(`${of.date.slice(0, 10)}T12:00`) : <bdi>{of.name}</bdi>}</span>
        {of.date && <span class="quiet small"><bdi>{of.name}</bdi></span>}
        {ABOUT[of.name] && <span class="quiet small">{ABOUT[of.name]}</span>}
        {!of.is_editable && <span class="quiet small">to read only</span>}
      </a>
    </li>
  );
}
