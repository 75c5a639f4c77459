// Memory around any model call: what surfaces before a turn, and what is stored after it.
export * from "./client.js";
export * from "./errors.js";
export { type Door, type Sent, addressOf, send } from "./http.js";
export { type Messages, placeMemory, plainMessages } from "./messages.js";
export { RETRY, type RetryPolicy } from "./retry.js";
export { type ChatChunk, type ServerEvent, chunksOf, eventsOf, textOf } from "./streams.js";
export { Turn, type TurnOptions } from "./turn.js";
export type * from "./types.js";
