// Texts from outside are shown as text only, whole or cut. No character in them may reorder the text beside them.

/** Characters that change the direction of a text, or that are invisible. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const unseen = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** Makes invisible characters visible, such as `‹U+202E›`. */
export const shown = (text: string): string =>
  text.replace(unseen, (sign) => `‹U+${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}›`);

/** The largest numbers of characters that are shown of a line and of a value. */
const most = { line: 300, value: 20_000 } as const;

/** A text on one line, cut when it is long. */
export const line = (text: string): string => {
  const cut = text.length > most.line ? `${text.slice(0, most.line)} … (${text.length.toLocaleString("en")} characters)` : text;
  return shown(cut.replace(/[\r\n\t]+/g, " "));
};

/** A value as JSON, and how many characters of it are left out. */
export function valueText(value: unknown): { readonly text: string; readonly left: number } {
  const text = typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? "");
  return { text: shown(text.slice(0, most.value)), left: Math.max(0, text.length - most.value) };
}

export const milliseconds = (ms: number): string =>
  ms >= 10_000 ? `${(ms / 1_000).toFixed(1)} s` : ms >= 100 || Number.isInteger(ms) ? `${Math.round(ms)} ms` : `${ms.toFixed(1)} ms`;

const clockFormat = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" });
const dayFormat = new Intl.DateTimeFormat(undefined, { month: "short", day: "numeric" });

/** `14:03:22`, with the day where it is not today's. */
export function moment(iso: string): string {
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return line(iso);
  const clock = clockFormat.format(date);
  return date.toDateString() === new Date().toDateString() ? clock : `${dayFormat.format(date)} ${clock}`;
}

/** `in 3 h`, `in 2 days`. */
export function ahead(iso: string): string {
  const minutes = Math.max(0, Math.round((Date.parse(iso) - Date.now()) / 60_000));
  if (minutes < 60) return `in ${minutes} min`;
  return minutes < 2_880 ? `in ${Math.round(minutes / 60)} h` : `in ${Math.round(minutes / 1_440)} days`;
}

/** `3 s ago`, `2 h ago`. Both times should come from one clock; without `now` the clock of the browser is taken. */
export function ago(iso: string, now = new Date().toISOString()): string {
  const seconds = Math.max(0, Math.round((Date.parse(now) - Date.parse(iso)) / 1_000));
  if (seconds < 120) return `${seconds} s ago`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 120) return `${minutes} min ago`;
  return minutes < 2_880 ? `${Math.round(minutes / 60)} h ago` : `${Math.round(minutes / 1_440)} days ago`;
}

export const plural = (count: number, word: string, many = `${word}s`): string =>
  `${count.toLocaleString("en")} ${count === 1 ? word : many}`;
