// Who is asking: a ticket of the address or a pasted key is exchanged for a token that lives as long as this tab.
import { signal } from "@preact/signals";

const PLACE = "mind-memory-token";
const HOLDER = "mind-memory-holder"; // the id of their key; empty with a link

/** How an address begins that holds a ticket. */
export const TICKET = "#t=";

/** True while the service wants to know who is asking, and nobody has said so. */
export const isSignedOut = signal(false);

/** What is said where nobody answers. */
export const AWAY = "The service does not answer. Is it still running?";

/** What a refused ticket or key was answered with; status 0: nobody answered. */
export interface Refusal {
  status: number;
  words: string;
  isOfKey: boolean;
}

export const refusal = signal<Refusal | null>(null);

export const token = (): string | null => sessionStorage.getItem(PLACE);

const forgetful: (() => void)[] = [];

/** Call *forget* when somebody else signs in, or who is in signs out: what one person typed is not for another. */
export const onAnother = (forget: () => void): void => void forgetful.push(forget);

export const forgetPerson = (): void => forgetful.forEach((forget) => forget());

/** Forget the token. The service is told by whoever calls this. */
export function forget(): void {
  sessionStorage.removeItem(PLACE);
  isSignedOut.value = true;
}

/** Take a ticket out of the address bar, before anything else may read it, and exchange it. */
export async function signInByAddress(): Promise<void> {
  if (!location.hash.startsWith(TICKET)) return;
  const ticket = location.hash.slice(TICKET.length);
  history.replaceState(null, "", location.pathname + location.search);
  await exchange({ ticket });
}

/** Exchange a ticket or a key for a token. The key is not kept. */
export async function exchange(proof: { ticket: string } | { key: string }): Promise<void> {
  const answer = await fetch("../v1/session", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(proof),
  }).catch(() => null);
  const said = await answer?.json().catch(() => ({}));
  if (!answer?.ok) {
    refusal.value = { status: answer?.status ?? 0, words: said ? (said.detail ?? said.title ?? "") : AWAY, isOfKey: "key" in proof };
    isSignedOut.value = true;
    return;
  }
  const holder = "key" in proof ? (proof.key.split("_")[1] ?? "") : "";
  if (holder !== sessionStorage.getItem(HOLDER)) forgetPerson();
  sessionStorage.setItem(HOLDER, holder);
  sessionStorage.setItem(PLACE, said.token);
  refusal.value = null;
  isSignedOut.value = false;
}
