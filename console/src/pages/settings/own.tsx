// A mind's own settings: each with its value, where it comes from, and the way back to the service's.
import type { Schemas } from "../../api/client";
import { Wait } from "../../parts/load";
import { Count, Relevance, Words } from "./fields";
import { type OwnSettings as Own, type Read, useOwnSettings } from "./own_state";

export function OwnSettings({ mind }: { mind: string }) {
  const own = useOwnSettings(mind);
  return (
    <section aria-labelledby="own">
      <h2 id="own">Of this mind</h2>
      <Wait of={own.settings}>{(found) => <Fields read={found} own={own} />}</Wait>
    </section>
  );
}

const ZONES = Intl.supportedValuesOf("timeZone");

function Fields({ read: { settings, fault }, own }: { read: Read; own: Own }) {
  const here = { own, of: settings };
  return (
    <>
      {fault && <p class="trouble" role="alert">settings.toml{fault.line ? `, line ${fault.line}` : ""}: {fault.detail}. The service's values hold.</p>}
      <Relevance {...here} label="How sure it must be that a memory is meant" />
      <Count {...here} name="max_fragments" label="Memories in one answer, at most" most={50} />
      <Count {...here} name="max_tokens" label="Length of all memories handed to the bot, in tokens, at most" most={100_000} />
      <Count {...here} name="echo_turns" label="Turns before the same memory may come up again" most={10_000} />
      <Words
        {...here}
        name="language"
        label="Language of what comes up, like de; empty for the message's own"
        check={(text) => (/^([A-Za-z]{2,3}([-_][A-Za-z0-9]{1,8})*)?$/.test(text) ? "" : "Write a code such as de, or pt-BR.")}
        read={orNull}
        write={asText}
      />
      <Words
        {...here}
        name="timezone"
        label="Time zone of the story and of words such as yesterday, like Europe/Paris; empty for UTC"
        choices={ZONES}
        read={orNull}
        write={asText}
      />
      <Words {...here} name="never_keep" label="Never keep a turn in which I say one of these, separated by commas" read={listed} write={joined} isList />
      <Words {...here} name="also_read" label="Other minds whose memories come up here too, separated by commas" read={listed} write={joined} isList />
      <Words
        {...here}
        name="entity_kinds"
        label="Kinds of people, places and things that a hosted model tells apart: one a line, like Boat: whatever sails"
        isLong
        check={(text) => (kindsOf(text).every((one) => /^[A-Za-z][A-Za-z0-9_]{0,40}$/.test(one.name)) ? "" : "Write each name as one word, of letters from A to Z.")}
        read={kindsOf}
        write={kindLines}
      />
    </>
  );
}

const orNull = (text: string): string | null => text || null;
const asText = (value: string | null): string => value ?? "";

/** Words between commas, as any script writes them. */
const listed = (text: string): string[] => text.split(/[,，、،;；؛\n]/).map((one) => one.trim()).filter(Boolean);
const joined = (value: readonly string[]): string => value.join(", ");

type Kind = Schemas["KindOut"];

/** One kind a line: its name, a colon, what it is. */
function kindsOf(text: string): Kind[] {
  return text.split("\n").filter((line) => line.trim()).map((line) => {
    const [name = "", ...about] = line.split(":");
    return { name: name.trim(), description: about.join(":").trim() };
  });
}

const kindLines = (kinds: readonly Kind[]): string =>
  kinds.map(({ name, description }) => (description ? `${name}: ${description}` : name)).join("\n");
