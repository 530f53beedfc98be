import { isLarge, jsonWork, tooLong } from "../../formats/json-writing.ts";
import { inSlices } from "../../threads/slices.ts";
import { type JsonObject, put } from "../../value/json.ts";
import { text } from "../../value/values.ts";
import type { Body, Reply, WrittenBody } from "../response.ts";
import type { Run } from "../run.ts";

/**
 * The most characters of an answer (spec/surfaces 1): from a request of a few kilobytes a configuration can make a text of hundreds of
 * millions.
 */
const longest = 134_217_728;

/** The text of a body. A large one is written in slices, between which the process serves others; one over the limit fails. */
function bodyText(body: Body, run: Run): string | Promise<string> {
  if ("data" in body) {
    if (!isLarge(body.data)) return JSON.stringify(body.data);
    // The run is over, so its cancellation does not matter; only the limit ends the work.
    return inSlices(jsonWork(body.data, longest), { run, signal: new AbortController().signal });
  }
  if (body.text.length > longest) throw tooLong(longest);
  return body.text;
}

/** The answer with this body. */
export function finish(run: Run, status: number, extra: JsonObject, body: Body): Reply | Promise<Reply> {
  const { type } = body;
  const content = run.interface.silence ? "" : bodyText(body, run);
  if (typeof content === "string") return headed(run, status, extra, { text: content, type });
  return content.then((large) => headed(run, status, extra, { text: large, type }));
}

/**
 * A null header is dropped, `content-type` overrides the default one, and a list of `set-cookie` is as many headers (spec/language 7.5).
 */
export function headed(run: Run, status: number, extra: JsonObject, body: WrittenBody): Reply {
  const headers: Record<string, string> = { "content-type": body.type };
  let cookies: readonly string[] = [];
  for (const key in extra) {
    const value = extra[key] ?? null;
    const name = key.toLowerCase();
    if (name === "set-cookie" && Array.isArray(value)) cookies = value.map(text);
    else if (value !== null) put(headers, name, text(value));
  }
  return { status, headers, cookies, body: run.interface.silence ? "" : body.text };
}
