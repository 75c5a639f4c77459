// A mind's own settings: each with its value, where it comes from, and the way back to the service's.
import { useState } from "preact/hooks";
import { get, patch, type Schemas } from "../../api/client";
import { useLoaded, Wait } from "../../parts/load";
import { attempt, say } from "../../parts/toast";

type Read = Schemas["SettingsOut"];
type Change = Schemas["SettingsIn"];

const SOURCES = { default: "default", service: "the service's", mind: "its own" };

export function OwnSettings({ mind }: { mind: string }) {
  const settings = useLoaded(() => get("/v1/minds/{mind_id}/settings", { path: { mind_id: mind } }), [mind]);
  const change = async (body: Change, etag: string) => {
    const done = await attempt(async () => {
      await patch("/v1/minds/{mind_id}/settings", { path: { mind_id: mind }, body, headers: { "If-Match": etag } });
      say("Saved. It holds at once.");
    });
    settings.again();
    return done;
  };
  return (
    <section aria-labelledby="own">
      <h2 id="own">Of this mind</h2>
      <Wait of={settings}>{(found) => <Fields of={found} change={(body) => change(body, found.etag)} />}</Wait>
    </section>
  );
}

interface FieldsProps {
  of: Read;
  change: (body: Change) => Promise<boolean>;
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
  change: (body: Change) => Promise<boolean>;
}

function From({ name, source, change }: FromProps) {
  return (
    <span class="row">
      <span class={source === "mind" ? "badge is-person" : "badge"}>{SOURCES[source]}</span>
      {source === "mind" && <button type="button" onClick={() => void change({ [name]: null })}>As the service has it</button>}
    </span>
  );
}

function Relevance({ of, change }: { of: Schemas["RelevanceOut"]; change: FromProps["change"] }) {
  const [value, setValue] = useState(of.value);
  return (
    <div class="setting">
      <label>
        How sure it must be that a memory is meant: {value.toFixed(2)}
        <input
          type="range" min={0} max={1} step={0.05} value={value}
          onInput={(event) => setValue(Number(event.currentTarget.value))}
          onChange={(event) => void change({ relevance: Number(event.currentTarget.value) })}
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
  return (
    <div class="setting">
      <label>
        {label}
        <input
          type="number" min={0} max={most} value={of.value}
          onChange={(event) => event.currentTarget.checkValidity() && void change({ [name]: event.currentTarget.valueAsNumber })}
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
  return (
    <div class="setting">
      <label>
        {label}
        <input value={value} onChange={(event) => void change({ [name]: read(event.currentTarget.value.trim()) })} />
      </label>
      <From name={name} source={source} change={change} />
    </div>
  );
}
