import type { Act } from "../../../run/run.ts";
import { Failure } from "../../../value/failure.ts";
import { isObject, type Json, type JsonObject, own } from "../../../value/json.ts";
import { text } from "../../../value/values.ts";
import type { Account } from "./account.ts";
import { objectOf, textIn } from "./ask.ts";
import { askWithToken, baseOf, type ServiceArgs } from "./authorized.ts";

export interface MessageArgs {
  readonly project?: string | null;
  readonly message: Json;
  readonly validate_only?: boolean | null;
}

const service = "fcm";
const usual = "https://fcm.googleapis.com";
const scope = "https://www.googleapis.com/auth/firebase.messaging";

/** Sends one message of Firebase Cloud Messaging, by its API of version 1. */
export async function send(act: Act, account: Account, args: MessageArgs, around: ServiceArgs): Promise<Json> {
  const project = args.project ?? account.project_id;
  if (project === undefined || !/^[a-z0-9][a-z0-9.:-]{0,99}$/.test(project)) throw bad("project", "not the id of a project");
  if (args.message === null || !isObject(args.message)) throw bad("message", "expected a map");
  const validate = args.validate_only === true ? { validate_only: true } : {};
  const body = JSON.stringify({ message: withTexts(args.message), ...validate });
  const answer = await askWithToken(act, account, scope, {
    ...{ service, method: "POST", url: new URL(`${baseOf(around, usual)}/v1/projects/${encodeURIComponent(project)}/messages:send`) },
    ...{ headers: { "content-type": "application/json" }, body, timeout: around.timeout, fromData: around.fromData },
  });
  const name = textIn(service, objectOf(service, answer), "name");
  return { name, message_id: name.slice(name.lastIndexOf("/") + 1) };
}

/** The values of `data` as texts: the service takes no others. */
function withTexts(message: JsonObject): JsonObject {
  const data = own(message, "data") ?? null;
  if (!isObject(data)) return message;
  return { ...message, data: Object.fromEntries(Object.entries(data).map(([name, value]) => [name, text(value)])) };
}

const bad = (field: string, problem: string): Failure => new Failure("evaluation", `field ${field}: ${problem}`);
