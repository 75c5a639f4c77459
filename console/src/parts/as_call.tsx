// The calls that a page made, as commands to copy: nothing here can be done that curl can not do.
import { type Call, calls } from "../api/client";
import { token } from "../session";
import { say } from "./toast";

/** A key is asked for here; the token of this tab ends with it, and is not for a terminal. */
const KEY = '-H "Authorization: Bearer $MIND_MEMORY_KEY"';

export function AsCall() {
  const made = calls.value;
  if (!made.length) return null;
  const text = made.map(commandOf).join("\n");
  return (
    <details class="as-call">
      <summary>As a call</summary>
      {token() && <p class="small quiet">Where this is run, <code>MIND_MEMORY_KEY</code> has to hold a key.</p>}
      <pre tabIndex={0}>{text}</pre>
      <button type="button" onClick={() => void copy(text)}>Copy</button>
    </details>
  );
}

function commandOf({ method, address, headers, body, isFile }: Call): string {
  const parts = ["curl", method === "GET" ? "" : `-X ${method}`, quoted(new URL(`..${address}`, document.baseURI).href)];
  if (token()) parts.push(KEY);
  for (const [name, value] of Object.entries(headers)) parts.push(`-H ${quoted(`${name}: ${value}`)}`);
  if (body !== undefined) parts.push("-H 'Content-Type: application/json'", `-d ${quoted(body)}`);
  if (isFile) parts.push("-H 'Content-Type: application/octet-stream'", "--data-binary @FILE");
  return parts.filter(Boolean).join(" ");
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** Only a page of this machine, or of https, may put something into the clipboard. */
async function copy(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    say("Copied.");
  } catch {
    say("This browser does not let the page copy. Mark the text, and copy it yourself.");
  }
}
