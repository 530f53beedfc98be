import { error, warning } from "./code.ts";

/** 48x: bodies of requests and answers. */
export const bodies = {
  /** `stopped` is the index in the text at which it stops being JSON. */
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
  almostJson: warning(
    "PW487",
    (key: string, text: string, stopped: number) => ({
      message: `'${key}' begins like JSON and stays a text: ${placeOf(text, stopped)}`,
      hint: "write JSON in which each marker is a value or stands inside a string",
    }),
    {
      means:
        "With its markers filled in the text would not be JSON: a bracket, a comma or a quote is missing or too much. So it is a text, and what a caller sends is filled in without quotes being escaped. Where it is JSON, each marker fills its own place whatever its value is.",
      wrong: 'http: { url: https://api.example.com, method: POST, body: \'{"name": "a|body::name|" "age": 1}\' }',
      right: 'http: { url: https://api.example.com, method: POST, body: \'{"name": "a|body::name|", "age": 1}\' }',
    },
  ),
};

function placeOf(text: string, stopped: number): string {
  if (stopped >= text.trimEnd().length) return "it ends too early";
  const lines = text.slice(0, stopped).split("\n");
  const character = String.fromCodePoint(text.codePointAt(stopped) ?? 0);
  const subject = text.startsWith("a|", stopped)
    ? "a marker"
    : text.startsWith("\\a|", stopped)
      ? "the text behind '\\a|', which is no marker,"
      : `'${character}'`;
  return `${subject} at character ${(lines.at(-1)?.length ?? 0) + 1}${lines.length > 1 ? ` of line ${lines.length}` : ""} does not belong there`;
}
