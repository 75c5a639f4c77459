// Signing in with a pasted key. The link that the service prints signs in by itself.
import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { exchange, type Refusal, refusal } from "./session";

const isBusy = signal(false);

export default function SignIn() {
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
      {refusal.value && <p role="alert" class="refusal">{reason(refusal.value)}</p>}
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

/** Why a ticket or a key was refused. Of a key, the service's own words are for who writes calls. */
function reason({ status, words, isOfKey }: Refusal): ComponentChildren {
  if (isOfKey && status === 401) {
    return (
      <>
        The service does not know this key: it may be copied in part, revoked or expired. On the service's machine,{" "}
        <code>mind-memory keys create</code> makes a new one.
      </>
    );
  }
  if (isOfKey && status === 429) return "This key was refused. Wrong keys come too often from this address; one that is right is let in all the same.";
  return words || "The service did not accept it.";
}
