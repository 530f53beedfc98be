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
        "The body is sent as JSON, or begins like JSON, but with its markers filled in it would not be JSON: a bracket, a comma or a quote is missing or too many. If the text is not meant to be JSON, set a `content-type` that says so.",
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
        "With its markers filled in the text would not be JSON: a bracket, a comma or a quote is missing or too many. So it is sent as text, in which quotes from a caller are not escaped. In JSON no value can leave the place of its marker.",
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
