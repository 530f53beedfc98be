import type { Trial } from "#runtime/testing/trial.ts";
import type { Json, JsonObject } from "#runtime/value/json.ts";

/** The answer of a run in the form for tests. */
export interface SeenAnswer {
  readonly status: number;
  readonly headers: JsonObject;
  /** The body as JSON if its content type is JSON, else as text. */
  readonly body: Json;
}

export function seenAnswer({ reply }: Pick<Trial, "reply">): SeenAnswer {
  const { status = 0, headers = {}, body = "" } = reply ?? {};
  return { status, headers: { ...headers }, body: bodyOf(body, headers["content-type"]) };
}

function bodyOf(text: string, type = ""): Json {
  if (!/[/+]json\b/.test(type)) return text;
  try {
    return JSON.parse(text) as Json; // JSON.parse gives JSON
  } catch {
    return text;
  }
}
