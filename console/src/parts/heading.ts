import { readableTime } from "./editor/heading_time";

const HEADING = /^#+\s*(?:\[(\d{4}-\d\d-\d\d)[^\]]*\]\s*)?(.*)$/;

/** A chapter's heading as people say it: its title and its day. */
export function headingWords(heading: string): string {
  const [, day, title] = HEADING.exec(heading.trim()) ?? [];
  const words = title || "Without a title";
  return day ? `${words}, ${readableTime(day)}` : words;
}
