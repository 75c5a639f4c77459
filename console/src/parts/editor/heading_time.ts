import { dayFormat } from "../../dates";

const dayOf = dayFormat({ day: "numeric", month: "long", year: "numeric", timeZone: "UTC" });

/** The time of a heading, "2026-01-09 18:30", as people say it: its clock is that of the mind, not of the browser. */
export const readableTime = (written: string): string =>
  written.replace(/\d{4}-\d\d-\d\d/g, (day) => (Number.isNaN(Date.parse(day)) ? day : dayOf(day)));
