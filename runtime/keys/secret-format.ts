import { Failure } from "../value/failure.ts";
import { type Json, type JsonObject, put } from "../value/json.ts";

/** How a stored text is read (spec/surfaces 11): as it is, as `KEY=VALUE` lines, or as JSON. */
export type SecretFormat = "raw" | "equal" | "json";

/**
 * Reads the value that a store gave. A value that is no text has been parsed by the store itself; an empty text is no secret. The messages
 * never quote the value.
 */
export function readSecret(text: Json, format: SecretFormat): Json {
  if (typeof text !== "string") return text;
  if (text === "") throw bad("it is empty");
  switch (format) {
    case "raw":
      return text;
    case "equal":
      return pairs(text);
    case "json":
      return parsed(text);
  }
}

/** The first `=` of a line splits it; blank lines and those that begin with `#` do not count. */
function pairs(text: string): JsonObject {
  const out: JsonObject = {};
  for (const [i, line] of text.split(/\r?\n/).entries()) {
    const entry = line.trim();
    if (entry === "" || entry.startsWith("#")) continue;
    const at = entry.indexOf("=");
    if (at < 1) throw bad(`line ${i + 1} is not KEY=VALUE`);
    put(out, entry.slice(0, at).trim(), entry.slice(at + 1).trim());
  }
  return out;
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    // A parser's message quotes the text.
    throw bad("it is not valid JSON");
  }
}

const bad = (reason: string): Failure => new Failure("evaluation", reason);
