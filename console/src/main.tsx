// Starts the console: first whatever the address brings, then the page.
import { render } from "preact";
import { get } from "./api/client";
import { followScrolling } from "./scrolling";
import { isSignedOut, signInByAddress } from "./session";
import { Shell } from "./shell";

async function start(): Promise<void> {
  await signInByAddress();
  if (!isSignedOut.value) await get("/v1/session").catch(() => undefined); // who is refused for want of a key is signed out by it
  const place = document.getElementById("console");
  if (place) render(<Shell />, place);
  followScrolling();
}

addEventListener("hashchange", () => void signInByAddress()); // a link that is opened in a tab that was here
void start();
