// The keys of this home: who may call, since when, until when. No door makes keys; the command line does.
import { useState } from "preact/hooks";
import { get, raw, remove } from "../../api/client";
import { Dialog } from "../../parts/dialog";
import { useLoaded, Wait } from "../../parts/load";
import { When } from "../../parts/time";
import { attempt, say } from "../../parts/toast";

interface Key {
  id: string;
  name: string;
  scopes: string[];
  minds: string[] | null;
  created_at: string;
  expires_at: string | null;
  last_used_at?: string | null;
}

const holds = ({ expires_at }: Key): boolean => expires_at === null || Date.parse(expires_at) > Date.now();

export function Keys() {
  const keys = useLoaded(async () => ((await (await raw("get", "/v1/keys")).json()) as { keys: Key[] }).keys, []);
  const who = useLoaded(() => get("/v1/session"), []);
  const [asked, setAsked] = useState<Key | null>(null);
  const revoke = async (key: Key) => {
    setAsked(null);
    const done = () => remove("/v1/keys/{key_id}" as never, { path: { key_id: key.id } });
    if (await attempt(done)) say(`${key.name} is revoked.`);
    keys.again();
  };
  return (
    <section aria-labelledby="keys">
      <h2 id="keys">Keys</h2>
      <Wait of={keys}>
        {(found) => (
          <>
            {!found.length && <p>{who.value?.access === "open" ? "There is no key: this machine may call, and no other." : "No key is left: nobody may call until one is made."}</p>}
            <ul class="list">
              {found.map((one) => (
                <li key={one.id}>
                  <b><bdi>{one.name}</bdi></b> <code>{one.id}</code>{" "}
                  <span class="quiet">
                    {one.scopes.join(", ")}; {one.minds ? one.minds.join(", ") : "all minds"}; made <When at={one.created_at} as="day" />
                    {one.expires_at && <>, until <When at={one.expires_at} as="day" /></>}
                    {one.last_used_at && <>, last used <When at={one.last_used_at} /></>}
                  </span>{" "}
                  <button type="button" class="danger" onClick={() => setAsked(one)}>Revoke</button>
                </li>
              ))}
            </ul>
            {asked && (
              <Dialog title={`Revoke ${asked.name}?`} close={() => setAsked(null)}>
                <p>Whoever calls with this key is refused from now on. It can not be taken back.</p>
                {asked.id === who.value?.key_id && <p class="wrong">You came in with this key: you are signed out at once, and need another one to come back.</p>}
                {!found.some((one) => one.id !== asked.id && holds(one)) && <p class="wrong">It is the last key that holds: every bot and every program is locked out, until a new one is made in a terminal of the service's machine.</p>}
                <div class="row">
                  <button type="button" class="danger" onClick={() => void revoke(asked)}>Revoke it</button>
                  <button type="button" onClick={() => setAsked(null)}>Leave it</button>
                </div>
              </Dialog>
            )}
          </>
        )}
      </Wait>
      <p class="quiet">Make one in a terminal: <code>mind-memory keys create --name "my bot"</code></p>
    </section>
  );
}
