// What is set, and where each value comes from; keys; the audit log.
import { get, raw } from "../api/client";
import { Wait, useLoaded } from "../parts/load";
import { Audit } from "./settings/audit";
import { Keys } from "./settings/keys";
import { OwnSettings } from "./settings/own";

export default function Settings({ mind }: { mind: string }) {
  const who = useLoaded(() => get("/v1/session"), []);
  return (
    <section class="page settings">
      <h1>Settings</h1>
      <OwnSettings mind={mind} />
      <Wait of={who}>
        {({ minds }) =>
          minds ? (
            <p class="quiet">
              You came in with a key for {minds.join(", ")} alone. Keys, the settings of the service and what was changed by
              whom are shown to a key for all minds, and by <code>mind-memory console</code>.
            </p>
          ) : (
            <>
              <Keys />
              <OfService />
              <Audit />
            </>
          )
        }
      </Wait>
    </section>
  );
}

interface OneSetting {
  name: string;
  value: unknown;
  source: "default" | "file" | "environment" | "option";
  about: string;
  is_secret?: boolean;
}

const SOURCES = { default: "default", file: "mind-memory.toml", environment: "variable", option: "option" };

function OfService() {
  const ask = async () => ((await (await raw("get", "/v1/settings")).json()) as { settings: OneSetting[] }).settings;
  const settings = useLoaded(ask, []);
  return (
    <details>
      <summary><h2>Of the service, for all minds</h2></summary>
      <p class="quiet">They hold for all minds. Set them in mind-memory.toml, or as variables, and start the service again.</p>
      <Wait of={settings}>
        {(found) => (
          <div class="scroll" tabIndex={0} role="region" aria-label="Settings of the service">
            <table>
              <thead><tr><th scope="col">Setting</th><th scope="col">Value</th><th scope="col">From</th></tr></thead>
              <tbody>
                {found.map((one) => (
                  <tr key={one.name}>
                    <th scope="row"><code>{one.name}</code><p class="quiet small">{one.about}</p></th>
                    <td><code>{one.is_secret ? "•••" : shown(one.value)}</code></td>
                    <td><span class={one.source === "default" ? "badge" : "badge is-person"}>{SOURCES[one.source]}</span></td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
      </Wait>
    </details>
  );
}

const shown = (value: unknown): string => (value === null || value === "" ? "–" : typeof value === "string" ? value : JSON.stringify(value));
