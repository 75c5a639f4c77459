// A mind's own settings: each with its value, where it comes from, and the way back to the service's.
import { useEffect, useRef, useState } from "preact/hooks";
import { get, patch, type Schemas } from "../../api/client";
import { type Loaded, useLoaded, Wait } from "../../parts/load";
import { attempt, say } from "../../parts/toast";

type Read = Schemas["SettingsOut"];
type Change = Schemas["SettingsIn"];

const SOURCES = { default: "default", service: "the service's", mind: "its own" };

export function OwnSettings({ mind }: { mind: string }) {
  const { settings, change } = useSettings(mind);
  return (
    <section aria-labelledby="own">
      <h2 id="own">Of this mind</h2>
      <Wait of={settings}>{(found) => <Fields of={found} change={change} />}</Wait>
    </section>
  );
}

const PATH = "/v1/minds/{mind_id}/settings";

/** The settings as they are kept, and what changes them: one change after the other, each of what the one before came to. */
function useSettings(mind: string): { settings: Loaded<Read>; change: (body: Change) => Promise<void> } {
  const path = { mind_id: mind };
  const first = useLoaded(() => get(PATH, { path }), [mind]);
  const [later, setLater] = useState<{ after: Read | undefined; kept: Read }>();
  const kept = later && later.after === first.value ? later.kept : first.value;
  const newest = useRef(kept);
  newest.current = kept;
  const queue = useRef(Promise.resolve());
  const keep = (now: Read) => {
    newest.current = now;
    setLater({ after: first.value, kept: now });
  };
  const save = async (body: Change) => {
    const headers = { "If-Match": newest.current?.etag ?? "" };
    const isDone = await attempt(async () => {
      keep(await patch(PATH, { path, body, headers }));
      say("Saved. It holds at once.");
    });
    if (!isDone) await get(PATH, { path }).then(keep, () => undefined); // somebody else changed them, or it is no such value
  };
  const change = (body: Change) => (queue.current = queue.current.then(() => save(body)));
  return { settings: { ...first, value: kept }, change };
}

interface Typed<T> {
  shown: T;
  type: (value: T) => void;
  keep: (value: T) => void;
  /** The field is left: what was typed and is what is kept anyway is forgotten. */
  leave: () => void;
}

/** What is in a field: what was typed, until that is kept or refused; else what is kept. */
function useTyped<T>(kept: T, save: (value: T) => Promise<void>): Typed<T> {
  const [typed, setTyped] = useState<{ value: T } | null>(null);
  const drop = (value: T) => setTyped((now) => (now?.value === value ? null : now));
  return {
    shown: typed ? typed.value : kept,
    type: (value) => setTyped({ value }),
    keep: (value) => void save(value).then(() => drop(value)),
    leave: () => drop(kept),
  };
}

interface FieldsProps {
  of: Read;
  change: (body: Change) => Promise<void>;
}

function Fields({ of: { settings, fault }, change }: FieldsProps) {
  return (
    <>
      {fault && <p class="trouble" role="alert">settings.toml{fault.line ? `, line ${fault.line}` : ""}: {fault.detail}. The service's values hold.</p>}
      <Relevance of={settings.relevance} change={change} />
      <Count name="max_fragments" label="Memories in one answer, at most" of={settings.max_fragments} most={50} change={change} />
      <Count name="max_tokens" label="Length of all memories handed to the bot, in tokens, at most" of={settings.max_tokens} most={100_000} change={change} />
      <Count name="echo_turns" label="Turns before the same memory may come up again" of={settings.echo_turns} most={10_000} change={change} />
      <Words
        name="language"
        label="Language of what comes up, like de; empty for the message's own"
        source={settings.language.source}
        value={settings.language.value ?? ""}
        read={(text) => text || null}
        change={change}
      />
      <Words
        name="never_keep"
        label="Never keep a turn in which I say one of these, separated by commas"
        source={settings.never_keep.source}
        value={settings.never_keep.value.join(", ")}
        read={(text) => text.split(",").map((one) => one.trim()).filter(Boolean)}
        change={change}
      />
      <Words
        name="also_read"
        label="Other minds whose memories come up here too, separated by commas"
        source={settings.also_read.source}
        value={settings.also_read.value.join(", ")}
        read={(text) => text.split(",").map((one) => one.trim()).filter(Boolean)}
        change={change}
      />
      {settings.entity_kinds.value.length > 0 && (
        <p class="quiet">Kinds of entities: {settings.entity_kinds.value.map((one) => one.name).join(", ")}.</p>
      )}
    </>
  );
}

type Name = keyof Change;
type Source = keyof typeof SOURCES;

interface FromProps {
  name: Name;
  source: Source;
  change: (body: Change) => Promise<void>;
}

function From({ name, source, change }: FromProps) {
  return (
    <span class="row">
      <span class={source === "mind" ? "badge is-person" : "badge"}>{SOURCES[source]}</span>
      {source === "mind" && <button type="button" onClick={() => void change({ [name]: null })}>As the service has it</button>}
    </span>
  );
}

const RESTS_MS = 400;

/** A slider is kept when it rests: a key that is held moves it thirty times a second. */
function Relevance({ of, change }: { of: Schemas["RelevanceOut"]; change: FromProps["change"] }) {
  const { shown, type, keep } = useTyped(of.value, (relevance) => change({ relevance }));
  const waiting = useRef<{ timer: ReturnType<typeof setTimeout>; value: number } | null>(null);
  const rest = useRef(() => undefined as void);
  rest.current = () => {
    if (!waiting.current) return;
    clearTimeout(waiting.current.timer);
    keep(waiting.current.value);
    waiting.current = null;
  };
  useEffect(() => () => rest.current(), []);
  const move = (value: number) => {
    type(value);
    clearTimeout(waiting.current?.timer);
    waiting.current = { value, timer: setTimeout(() => rest.current(), RESTS_MS) };
  };
  return (
    <div class="setting">
      <label>
        How sure it must be that a memory is meant: {shown.toFixed(2)}
        <input
          type="range" min={0} max={1} step={0.05} value={shown}
          onInput={(event) => move(Number(event.currentTarget.value))} onBlur={() => rest.current()}
        />
      </label>
      <From name="relevance" source={of.source} change={change} />
    </div>
  );
}

interface CountProps {
  name: "max_fragments" | "max_tokens" | "echo_turns";
  label: string;
  of: Schemas["CountOut"];
  most: number;
  change: FromProps["change"];
}

function Count({ name, label, of, most, change }: CountProps) {
  const { shown, type, keep, leave } = useTyped(String(of.value), (text) => change({ [name]: Number(text) }));
  return (
    <div class="setting">
      <label>
        {label}
        <input
          type="number" required min={0} max={most} value={shown} onInput={(event) => type(event.currentTarget.value)}
          onChange={(event) => event.currentTarget.reportValidity() && keep(event.currentTarget.value)} onBlur={leave}
        />
      </label>
      <From name={name} source={of.source} change={change} />
    </div>
  );
}

interface WordsProps extends FromProps {
  label: string;
  value: string;
  read: (text: string) => string | string[] | null;
}

function Words({ name, label, source, value, read, change }: WordsProps) {
  const { shown, type, keep, leave } = useTyped(value, (text) => change({ [name]: read(text.trim()) }));
  return (
    <div class="setting">
      <label>
        {label}
        <input
          value={shown} onInput={(event) => type(event.currentTarget.value)}
          onChange={(event) => keep(event.currentTarget.value)} onBlur={leave}
        />
      </label>
      <From name={name} source={source} change={change} />
    </div>
  );
}
