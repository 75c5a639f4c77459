// Bring in, take out: conversations of other programs, looked at before they are kept; the whole mind as one file.
import { useState } from "preact/hooks";
import { get, raw, type Schemas } from "../api/client";
import { counted, number } from "../dates";
import { Trouble, asProblem } from "../parts/load";
import { When } from "../parts/time";
import { attempt, say } from "../parts/toast";
import type { Problem } from "../api/client";
import { to } from "../router";

/** What is in a file that was looked at. */
interface Seen {
  format: string;
  sessions: number;
  turns: number;
  messages: number;
  first_at: string | null;
  last_at: string | null;
  speakers: string[];
  skipped: { reason: string; count: number; places: string[] }[];
  opening: string;
}

/** How far a file has come. */
interface Progress {
  state: "running" | "done" | "failed";
  stored: number;
  of: number;
  duplicates: number;
  detail: string | null;
}

const LOOK_MS = 800;
const MOST_IN_MEMORY = 256 * 1024 * 1024;

export default function Moving({ mind }: { mind: string }) {
  return (
    <section class="page moving">
      <h1>Bring in, take out</h1>
      <div class="two">
        <BringIn mind={mind} />
        <TakeOut mind={mind} />
      </div>
    </section>
  );
}

function BringIn({ mind }: { mind: string }) {
  const [file, setFile] = useState<File | null>(null);
  const [seen, setSeen] = useState<Seen | null>(null);
  const [progress, setProgress] = useState<Progress | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [isBusy, setBusy] = useState(false);

  const send = async (one: File, query: Record<string, unknown>) => {
    const asked = { path: { mind_id: mind }, query: { filename: one.name, ...query } as never, bytes: one };
    return (await raw("post", "/v1/minds/{mind_id}/import/conversations", asked)).json();
  };
  const guarded = async (deed: () => Promise<void>) => {
    setBusy(true);
    setProblem(null);
    await deed().catch((error) => setProblem(asProblem(error)));
    setBusy(false);
  };
  const look = (one: File) => {
    setFile(one);
    setSeen(null);
    setProgress(null);
    void guarded(async () => setSeen(await send(one, { dry_run: true })));
  };
  const keep = () =>
    guarded(async () => {
      if (!file) return;
      const { import_id } = await send(file, {});
      const path = { mind_id: mind, import_id };
      for (;;) {
        const now = (await (await raw("get", "/v1/minds/{mind_id}/import/conversations/{import_id}", { path })).json()) as Progress;
        setProgress(now);
        if (now.state !== "running") return;
        await new Promise((go) => setTimeout(go, LOOK_MS));
      }
    });
  const dropped = (event: DragEvent) => {
    event.preventDefault();
    const one = event.dataTransfer?.files[0];
    if (one) look(one);
  };
  const chosen = (input: HTMLInputElement) => {
    const one = input.files?.[0];
    input.value = ""; // so that the same file can be chosen again
    if (one) look(one);
  };
  return (
    <section aria-labelledby="bring-in">
      <h2 id="bring-in">Bring in</h2>
      <div class="drop" onDragOver={(event) => event.preventDefault()} onDrop={dropped}>
        <label>
          Drop a file here, or choose one: what ChatGPT, Claude, Gemini, WhatsApp, mem0, Zep or Graphiti exported (the zip, or the file in it), or lines of JSON.
          <input type="file" onChange={(event) => chosen(event.currentTarget)} />
        </label>
      </div>
      {isBusy && !progress && <p class="quiet" role="status">Reading {file?.name}…</p>}
      {problem && <Trouble problem={problem} />}
      {seen && !progress && <WhatIsIn seen={seen} keep={() => void keep()} isBusy={isBusy} />}
      {progress && <HowFar mind={mind} of={progress} />}
    </section>
  );
}

function WhatIsIn({ seen, keep, isBusy }: { seen: Seen; keep: () => void; isBusy: boolean }) {
  return (
    <div class="card" role="status">
      <p>
        {seen.format}: {counted(seen.turns, "turn")} in {counted(seen.sessions, "conversation")}
        {seen.first_at && seen.last_at && <>, from <When at={seen.first_at} as="day" /> to <When at={seen.last_at} as="day" /></>}.
      </p>
      {seen.speakers.length > 0 && <p class="quiet">With {seen.speakers.join(", ")}.</p>}
      {seen.opening && <p class="said">“{seen.opening}”</p>}
      {seen.skipped.map((one) => <p key={one.reason} class="quiet">{number(one.count)} × {one.reason} ({one.places.join(", ")}{one.count > one.places.length && ", …"})</p>)}
      <p class="quiet">Nothing is kept yet. What is in this memory already is not kept twice.</p>
      <button type="button" class="main" onClick={keep} disabled={isBusy || !seen.turns}>Keep {counted(seen.turns, "turn")}</button>
    </div>
  );
}

function HowFar({ mind, of }: { mind: string; of: Progress }) {
  return (
    <div class="card" role="status">
      <progress max={of.of} value={of.stored + of.duplicates} aria-label="Turns kept" />
      {of.state === "running" && <p>{number(of.stored)} of {counted(of.of, "turn")} kept…</p>}
      {of.state === "failed" && <p class="wrong">{of.detail} What was kept is kept; bring the file in again to go on.</p>}
      {of.state === "done" && (
        <p>
          {counted(of.stored, "turn")} kept{of.duplicates > 0 && <>, {number(of.duplicates)} were here already</>}. They are being
          read now. <a href={to(mind, "replay")}>See what was said</a>
        </p>
      )}
    </div>
  );
}

function TakeOut({ mind }: { mind: string }) {
  const [isBusy, setBusy] = useState(false);
  const take = async () => {
    setBusy(true);
    await attempt(async () => {
      const size = await sizeOf(mind);
      if (size > MOST_IN_MEMORY) throw new Error("The archive is too large for a browser: use mind-memory export.");
      const answer = await raw("get", "/v1/minds/{mind_id}/export", { path: { mind_id: mind } });
      save(await answer.blob(), `${mind}.zip`);
      say("Saved. It holds all that this memory knows: keep it safe.");
    });
    setBusy(false);
  };
  return (
    <section aria-labelledby="take-out">
      <h2 id="take-out">Take out</h2>
      <p>
        One file with everything: what was said, the facts, the story and its versions, corrections, settings. It can be
        brought into another Mind Memory with <code>mind-memory import</code>.
      </p>
      <button type="button" onClick={() => void take()} disabled={isBusy}>{isBusy ? "Packing…" : "Save the archive"}</button>
      <h2 class="apart">Forget</h2>
      <p>
        Everything, a conversation, or one turn: <a href={to(mind, "erase")}>see what would go</a>.
      </p>
    </section>
  );
}

const BYTES_PER_TURN = 20_000;

/** A rough upper bound of an archive's bytes: nobody knows them before it is made. */
async function sizeOf(mind: string): Promise<number> {
  const found: Schemas["MindOut"] = await get("/v1/minds/{mind_id}", { path: { mind_id: mind } });
  return found.turns * BYTES_PER_TURN;
}

function save(content: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
