// Signing in with a pasted key, and signing out. The link that the service prints signs in by itself.
import { signal } from "@preact/signals";
import { useState } from "preact/hooks";
import { remove } from "./api/client";
import { exchange, forget, refusal, token } from "./session";

const isBusy = signal(false);

export function SignIn() {
  const [key, setKey] = useState("");
  const signIn = async (event: SubmitEvent) => {
    event.preventDefault();
    isBusy.value = true;
    await exchange({ key: key.trim() }).finally(() => (isBusy.value = false));
  };
  return (
    <main id="main" class="sign-in">
      <h1>Sign in</h1>
      <p>
        Open the link that the service printed when it started, or run <code>mind-memory console</code>: it opens this
        page, signed in. Or paste a key.
      </p>
      {refusal.value && <p role="alert" class="refusal">{refusal.value}</p>}
      <form onSubmit={signIn}>
        <label>
          Key
          <input
            type="password"
            autocomplete="off"
            spellcheck={false}
            required
            value={key}
            onInput={(event) => setKey(event.currentTarget.value)}
          />
        </label>
        <button type="submit" class="main" disabled={isBusy.value}>Sign in</button>
      </form>
      <p class="quiet">The key is exchanged for a token that ends with this tab. It is not kept.</p>
    </main>
  );
}

export function SignOut() {
  if (!token()) return null;
  const signOut = async () => {
    await remove("/v1/session").catch(() => undefined);
    forget();
  };
  return <button type="button" onClick={() => void signOut()}>Sign out</button>;
}
