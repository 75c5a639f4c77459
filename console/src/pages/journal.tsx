// What people write down themselves: find it, read it, edit it.
import { useEffect, useState } from "preact/hooks";
import { get, type Schemas } from "../api/client";
import { type FileText, fileOf, filesOf, type JournalFile, saveFile } from "../api/journal";
import { bind } from "../keys";
import { isUnsaved, useChangedElsewhere } from "../parts/draft";
import { EditText } from "../parts/edit_text";
import { type Loaded, useLoaded, Wait } from "../parts/load";
import { Markdown } from "../parts/markdown";
import { place, setQuery, to } from "../router";
import { Files } from "./journal/files";

export default function Journal({ mind }: { mind: string }) {
  const path = place.value.part;
  const files = useLoaded(() => filesOf(mind), [mind]);
  return (
    <section class="page journal">
      <h1>Journal</h1>
      <Search mind={mind} />
      <div class="journal-parts">
        <Wait of={files}>{(found) => <Files mind={mind} files={found} at={path} />}</Wait>
        <div class="journal-file">{path ? <File key={path} mind={mind} path={path} files={files} /> : <p class="quiet">These are notes in plain files, written by people or by the bot: yours to read, to search and to edit. Choose one.</p>}</div>
      </div>
    </section>
  );
}

function Search({ mind }: { mind: string }) {
  const words = place.value.query.get("q") ?? "";
  const find = (event: SubmitEvent) => {
    event.preventDefault();
    setQuery({ q: String(new FormData(event.currentTarget as HTMLFormElement).get("q") ?? "") });
  };
  return (
    <>
      <form class="row" onSubmit={find}>
        <label class="grow">Find in the journal<input type="search" name="q" defaultValue={words} maxLength={1000} /></label>
        <button type="submit">Find</button>
      </form>
      {words && <Found key={words} mind={mind} words={words} />}
    </>
  );
}

function Found({ mind, words }: { mind: string; words: string }) {
  const query = { query: words, max_results: 12 };
  const found = useLoaded(() => get("/v1/minds/{mind_id}/journal/search", { path: { mind_id: mind }, query }), [mind, words]);
  return (
    <section class="found" aria-labelledby="found">
      <h2 id="found">Found</h2>
      <Wait of={found}>
        {({ results }) =>
          results.length ? (
            <ul class="list">{results.map((one) => <OneFound key={`${one.path} ${one.start_line}`} mind={mind} of={one} />)}</ul>
          ) : (
            <p class="quiet" role="status">Nothing in the journal fits “<bdi>{words}</bdi>”.</p>
          )
        }
      </Wait>
    </section>
  );
}

function OneFound({ mind, of }: { mind: string; of: Schemas["JournalFound"] }) {
  const lines = of.start_line === of.end_line ? `line ${of.start_line}` : `lines ${of.start_line} to ${of.end_line}`;
  const { q = "" } = Object.fromEntries(place.value.query);
  return (
    <li>
      <a href={to(mind, "journal", of.path, { q })}><bdi>{of.path}</bdi>, {lines}</a>
      <p class="said snippet">{of.snippet.replace(/^#+[ \t]+/gm, "")}</p>
    </li>
  );
}

interface FileProps {
  mind: string;
  path: string;
  files: Loaded<readonly JournalFile[] | null>;
}

function File({ mind, path, files }: FileProps) {
  const file = useLoaded(() => fileOf(mind, path), [mind, path]);
  useChangedElsewhere(file.value?.etag, () => fileOf(mind, path), file.again);
  const name = `journal ${mind} ${path}`;
  const [isEditing, setEditing] = useState(() => isUnsaved(name));
  const isTheirs = files.value?.find((one) => one.path === path)?.is_editable ?? false;
  useEffect(() => (isTheirs ? bind("e", "edit the file", () => setEditing(true)) : undefined), [isTheirs]);
  const write = (text: string, etag: string): Promise<FileText> => saveFile(mind, path, { text, etag });
  const saved = () => {
    file.again();
    files.again();
  };
  return (
    <article aria-labelledby="file">
      <div class="row">
        <h2 id="file"><bdi>{path}</bdi></h2>
        {isTheirs && <button type="button" aria-pressed={isEditing} onClick={() => setEditing(!isEditing)}>Edit</button>}
      </div>
      {!isEditing && isUnsaved(name) && <p class="quiet" role="status">What you wrote is not saved yet: “Edit” shows it.</p>}
      <Wait of={file}>
        {(found) =>
          isEditing ? (
            <EditText name={name} label={`${path}, in Markdown`} kept={found} write={write} read={() => fileOf(mind, path)} saved={saved} />
          ) : found.text.trim() ? (
            <Markdown text={found.text} />
          ) : (
            <p class="quiet">This file is empty.</p>
          )
        }
      </Wait>
    </article>
  );
}
