// Starts the console: first whatever the address brings, then the page.
import { render } from "preact";
import { get } from "./api/client";
import { asProblem } from "./parts/load";
import { isSignedOut, signInByAddress } from "./session";
import { Shell } from "./shell";

async function start(): Promise<void> {
  await signInByAddress();
  if (!isSignedOut.value) {
    await get("/v1/session").catch((error) => {
      if (asProblem(error).status === 401) isSignedOut.value = true;
    });
  }
  const place = document.getElementById("console");
  if (place) render(<Shell />, place);
}

addEventListener("hashchange", () => void signInByAddress()); // a link that is opened in a tab that was here
void start();
