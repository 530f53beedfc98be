import type { CapturedAction, CapturedRun } from "../capture/recording.ts";
import { bodyKind } from "../formats/media-type.ts";
import { isObject, type Json, type JsonObject } from "../value/json.ts";
import { text } from "../value/values.ts";

// Parts of the request of a recorded run as a contract test writes them: its body as it was sent, and what came for actions that wait.

/** A body as a test gives it. `unsent` is the type of one that a test cannot send. */
export interface GivenBody {
  readonly body?: Json;
  readonly unsent?: string;
}

/** The body of a request: what was read of it is written as its type says. */
export function givenBody({ trigger, request: { body, headers } }: Pick<CapturedRun, "trigger" | "request">): GivenBody {
  const type = headers["content-type"];
  if (body === null) return {};
  if (trigger !== "http" || typeof type !== "string") return { body };
  switch (bodyKind(type)) {
    case "json":
      // A text is sent as it is.
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
 * Callbacks of the actions that have waited for one, by their names: the data of the action hold the callback, and its failure means that
 * none came.
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
