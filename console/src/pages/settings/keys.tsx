// The keys of this home: who may call, since when, until when. No door makes keys; the command line does.
import { raw, remove } from "../../api/client";
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

export function Keys() {
  const keys = useLoaded(async () => ((await (await raw("get", "/v1/keys")).json()) as { keys: Key[] }).keys, []);
  const revoke = async (key: Key) => {
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
            {!found.length && <p>There is no key: this machine may call, and no other.</p>}
            <ul class="list">
              {found.map((one) => (
                <li key={one.id}>
                  <b><bdi>{one.name}</bdi></b> <code>{one.id}</code>{" "}
                  <span class="quiet">
                    {one.scopes.join(", ")}; {one.minds ? one.minds.join(", ") : "all minds"}; made <When at={one.created_at} as="day" />
                    {one.expires_at && <>, until <When at={one.expires_at} as="day" /></>}
                    {one.last_used_at && <>, last used <When at={one.last_used_at} /></>}
                  </span>{" "}
                  <button type="button" class="danger" onClick={() => void revoke(one)}>Revoke</button>
                </li>
              ))}
            </ul>
          </>
        )}
      </Wait>
      <p class="quiet">Make one in a terminal: <code>mind-memory keys create --name "my bot"</code></p>
    </section>
  );
}
