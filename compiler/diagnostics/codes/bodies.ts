import { error } from "./code.ts";

/** 48x: bodies of answers. */
export const bodies = {
  /** `stopped`: where the text can no longer be the beginning of JSON. */
  notJson: error(
    "PW485",
    (key: string, why: string, text: string, stopped: number) => ({
      message: `'${key}' ${why} and is not JSON: ${placeOf(text, stopped)}`,
      hint: "write JSON in which each marker is a value or stands inside a string, or set another content-type, such as text/plain",
    }),
    {
      means:
        "The body is a text that is sent as JSON, or that begins as JSON does, and with its markers filled in it would not be JSON: a bracket, a comma or a quote is missing or too much. A text that is no JSON by intention has a header `content-type` that says so.",
      wrong: 'response:\n  custom_body: \'{"user": a|User|, "at": a|timestamp| \'',
      right: 'response:\n  custom_body: \'{"user": a|User|, "at": a|timestamp|}\'',
    },
  ),
};

function placeOf(text: string, stopped: number): string {
  if (stopped >= text.trimEnd().length) return "it ends too early";
  const lines = text.slice(0, stopped).split("\n");
  const character = String.fromCodePoint(text.codePointAt(stopped) ?? 0);
  const subject = text.startsWith("a|", stopped) ? "a marker" : `'${character}'`;
  return `${subject} at character ${(lines.at(-1)?.length ?? 0) + 1}${lines.length > 1 ? ` of line ${lines.length}` : ""} does not belong there`;
}
