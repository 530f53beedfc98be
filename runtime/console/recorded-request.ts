import type { CapturedAction, CapturedRun } from "../capture/recording.ts";
import { bodyKind } from "../formats/media-type.ts";
import { isObject, type Json, type JsonObject } from "../value/json.ts";
import { text } from "../value/values.ts";

// Parts of the request of a recorded run in the form of a contract test: its body as it was sent, and the callbacks of its actions.

/** A body in a test. `unsent` is the type of a body that a test cannot send. */
export interface GivenBody {
  readonly body?: Json;
  readonly unsent?: string;
}

/** The body of a request: the recorded data in the format of its type. */
export function givenBody({ trigger, request: { body, headers } }: Pick<CapturedRun, "trigger" | "request">): GivenBody {
  const type = headers["content-type"];
  if (body === null) return {};
  if (trigger !== "http" || typeof type !== "string") return { body };
  switch (bodyKind(type)) {
    case "json":
      // A test sends a text unchanged, so that JSON text is written as text.
      return { body: typeof body === "string" ? JSON.stringify(body) : body };
    case "form":
      return isObject(body) ? { body: formOf(body) } : { body };
    case "lines":
      return { body: Array.isArray(body) ? body.map((line) => `${JSON.stringify(line)}\n`).join("") : body };
    case "multipart":
    case "binary":
      return /[/+]xml\b/i.test(type) ? { body } : { unsent: type };
    default:
      return { body };
  }
}

const formOf = (body: JsonObject): string =>
  new URLSearchParams(
    Object.entries(body).flatMap(([name, value]) =>
      (Array.isArray(value) ? value : [value]).map((each): [string, string] => [name, text(each)]),
    ),
  ).toString();

/**
 * Callbacks for the actions that waited for one, by their names. The data of the action hold the callback; a failed action means that none
 * came.
 */
export function callbacksOf(actions: readonly CapturedAction[]): JsonObject {
  return Object.fromEntries(actions.flatMap((action): [string, Json][] => waitOf(action).map((came) => [action.name, came])));
}

function waitOf({ status, input, data, error }: CapturedAction): readonly JsonObject[] {
  if (status === "failed" && error === "callback timed out") return [{ late: true }];
  const came = input ?? data;
  if (!isObject(came) || Object.keys(came).sort().join() !== "body,headers,received_at") return [];
  const { body = null, headers = null } = came;
  return [{ body, ...(isObject(headers) && Object.keys(headers).length > 0 ? { headers } : {}) }];
}
