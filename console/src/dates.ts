// Times and numbers as people say them in English, as all of the console is: in the browser's kind of it, else in Britain's,
// which has the day before the month, as most have it. The time zone and the clock's 12 or 24 hours are the browser's.
const ENGLISH = navigator.languages.find((one) => /^en\b/i.test(one)) ?? "en-GB";
const { hourCycle } = new Intl.DateTimeFormat(undefined, { hour: "numeric" }).resolvedOptions();
const HOURS = { hour: "2-digit", minute: "2-digit", ...(hourCycle && { hourCycle }) } as const;
const MOMENT = new Intl.DateTimeFormat(ENGLISH, { day: "numeric", month: "short", ...HOURS });
const MOMENT_OF_YEAR = new Intl.DateTimeFormat(ENGLISH, { day: "numeric", month: "short", year: "numeric", ...HOURS });
const CLOCK = new Intl.DateTimeFormat(ENGLISH, HOURS);
const AGO = new Intl.RelativeTimeFormat(ENGLISH, { numeric: "auto" });
const NUMBER = new Intl.NumberFormat(ENGLISH);
const PERCENT = new Intl.NumberFormat(ENGLISH, { style: "percent" });
const MONEY = new Intl.NumberFormat(ENGLISH, { style: "currency", currency: "USD", maximumSignificantDigits: 3 });

const STEPS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ["year", 31_557_600],
  ["month", 2_629_800],
  ["week", 604_800],
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
];

/** Writes a day, with its month as a word. */
export function dayFormat(parts: Intl.DateTimeFormatOptions): (at: string | Date) => string {
  const format = new Intl.DateTimeFormat(ENGLISH, parts);
  return (at) => format.format(new Date(at));
}

export const day = dayFormat({ day: "numeric", month: "short", year: "numeric" });
export const shortDay = dayFormat({ day: "numeric", month: "short" });
/** A day and a time; with the year where it is not this one. */
export function moment(at: string | Date): string {
  const then = new Date(at);
  return (then.getFullYear() === new Date().getFullYear() ? MOMENT : MOMENT_OF_YEAR).format(then);
}
export const clock = (at: string | Date): string => CLOCK.format(new Date(at));
/** All of a moment, in digits as the browser's language writes them. */
export const exactly = (at: string | Date): string => new Date(at).toLocaleString();
export const number = (value: number): string => NUMBER.format(value);
export const money = (value: number): string => MONEY.format(value);

/** The day of a moment as a field of a date has it: 2026-01-09. */
export function dayOfField(at: string | Date): string {
  const here = new Date(at);
  return [here.getFullYear(), here.getMonth() + 1, here.getDate()].map((part) => String(part).padStart(2, "0")).join("-");
}

export const isDay = (word: string): boolean => /^\d{4}-\d{2}-\d{2}$/.test(word) && !Number.isNaN(Date.parse(word));

/** The first and the last moment of a day of such a field, where the browser is. */
export const startOfDay = (word: string): string => new Date(`${word}T00:00:00`).toISOString();
export const endOfDay = (word: string): string => new Date(`${word}T23:59:59.999`).toISOString();

/** How long ago, or how soon: "2 weeks ago". */
export function ago(at: string | Date, now: Date = new Date()): string {
  const seconds = (new Date(at).getTime() - now.getTime()) / 1000;
  const [unit, size] = STEPS.find(([, one]) => Math.abs(seconds) >= one) ?? ["second", 1];
  return unit === "second" ? "just now" : AGO.format(Math.round(seconds / size), unit);
}

/** A count with its noun: "1 turn", "12 turns". */
export const counted = (count: number, one: string, many: string = `${one}s`): string =>
  `${number(count)} ${count === 1 ? one : many}`;

export const percent = (share: number): string => PERCENT.format(share);
