import { actions } from "#generated/features.ts";
import type { Expr } from "#runtime/plan/index.ts";
import { operationsOf } from "../../../4-plan/operations.ts";
import { hostsOf } from "../hosts.ts";
import { isUnset, member } from "../member.ts";
import { joined, type Name, nameOf, namesOf } from "../names.ts";
import { all, type Touched, type Toucher } from "../touched.ts";

const operations = operationsOf(actions.google.schema);

/** The service of the operation, the one that gives tokens, the key file, and objects with the operation. */
export const toucher: Toucher = (args, known) => {
  const operation = operations.find((each) => !isUnset(member(args, each)));
  if (operation === undefined) return [];
  const at = (...way: readonly string[]): readonly Name[] => namesOf(member(args, operation, ...way), known);
  const hosts = (url: Expr, usual: string): readonly Touched[] => all("hosts", isUnset(url) ? [{ name: usual }] : hostsOf(url, known));
  const isSigned = operation.startsWith("get_signed_");
  const isToken = operation.startsWith("create_token");
  const endpoint = operation === "send_message" ? "fcm.googleapis.com" : "storage.googleapis.com";
  const [bucket, prefix] = [nameOf(member(args, operation, "bucket"), known), nameOf(member(args, operation, "prefix"), known)];
  const keys = operation === "list_objects" ? [joined([prefix, { name: "*" }])] : at("key");
  return [
    ...(isSigned ? [] : hosts(member(args, "credential", "token_uri"), "oauth2.googleapis.com")),
    ...(isSigned || isToken ? [] : hosts(member(args, "endpoint"), endpoint)),
    ...all("files", namesOf(member(args, "credential", "file"), known)),
    ...all("files", keys.length > 0 && bucket.name !== "" ? keys : []).map((one) => ({ ...one, of: bucket.name, verb: operation })),
  ];
};
