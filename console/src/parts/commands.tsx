// The calls of a page as commands for a terminal, to copy.
import { type Call, calls } from "../api/client";
import { token } from "../session";
import { say } from "./toast";

/** A key is asked for here; the token of this tab ends with it, and is not for a terminal. */
const KEY = '-H "Authorization: Bearer $MIND_MEMORY_KEY"';

export default function Commands() {
  const text = calls.value.map(commandOf).join("\n");
  return (
    <>
      {token() && <p class="small quiet">Where this is run, <code>MIND_MEMORY_KEY</code> has to hold a key.</p>}
      <pre tabIndex={0}>{text}</pre>
      <button type="button" onClick={() => void copy(text)}>Copy</button>
    </>
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
