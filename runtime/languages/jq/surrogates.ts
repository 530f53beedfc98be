// JSON may have half a surrogate pair in a text, and jq takes no such text. Each half goes through jq in the form of an unused character,
// and is restored in jq's output.

/** The number of different halves. */
const count = 0x800;
const [lowest, highest] = [0xf0000, 0x10f000] as const;

/** The first of a run of private-use characters, as many as there are halves, none of which stands in the text. */
function unused(text: string): number | undefined {
  for (let first: number = highest; first >= lowest; first -= count) if (!among(first).test(text)) return first;
  return undefined;
}

const among = (first: number): RegExp => new RegExp(`[\\u{${first.toString(16)}}-\\u{${(first + count - 1).toString(16)}}]`, "gu");

/** A JSON text for jq, and the function that restores the halves in jq's output. */
export interface Disguise {
  readonly json: string;
  readonly restored: (json: string) => string;
}

/** `JSON.stringify` escapes the halves, and nothing else above the control characters. `filter` may have characters of its own. */
export function disguised(json: string, filter: string): Disguise {
  const first = /\\ud/.test(json) ? unused(json + filter) : undefined;
  if (first === undefined) return { json, restored: (text) => text };
  return {
    json: json.replace(/\\(?:u(d[89a-f]..)|.)/g, (sequence, half?: string) =>
      half === undefined ? sequence : String.fromCodePoint(Number.parseInt(half, 16) - 0xd800 + first),
    ),
    restored: (text) => text.replace(among(first), (character) => `\\u${((character.codePointAt(0) ?? 0) - first + 0xd800).toString(16)}`),
  };
}
