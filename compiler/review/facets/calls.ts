import type { Expr } from "#runtime/plan/index.ts";
import { isObject, type Json, type JsonObject } from "#runtime/value/json.ts";
import { bare, type Facet, type Fact, type Judgement, shown } from "../fact.ts";
import { actionsOf } from "./actions.ts";

/** The arguments of every call and query, each field a fact. */
export const calls: Facet = {
  name: "calls",
  hashed: true,
  read: (target) =>
    actionsOf(target).flatMap(([name, action]) =>
      action.ops.flatMap((op): readonly Fact[] => {
        if (op.op !== "call" && op.op !== "query") return [];
        const at = op.at ?? action.at;
        return fieldsOf(op.args).map(([field, value]) => ({ key: `${name}: ${op.use}.${field}`, value, ...(at && { at }) }));
      }),
    ),
  judge: ({ key, before, after }) => {
    const field = key.slice(key.lastIndexOf(".") + 1);
    const [action = ""] = key.split(": ");
    const name = `action \`${action}\`: \`${key.slice(action.length + 2).replace(/^database\./, "")}\``;
    const special = judgements[field]?.(before, after);
    if (special !== undefined) return { ...special, text: `${name} ${special.text}` };
    if (before === undefined) return { severity: "changed", text: `${name} is new` };
    return { severity: "changed", text: `${name} ${after === undefined ? "is gone" : "changed"}` };
  },
};

/** The meaning of a change for fields that guard a call. */
const judgements: Readonly<Record<string, (before: Json | undefined, after: Json | undefined) => Judgement | undefined>> = {
  accept_invalid_certs: (_, after) => (isOn(after) ? { severity: "loosened", text: "is on: certificates are not checked" } : undefined),
  accept_any_host_key: (_, after) => (isOn(after) ? { severity: "loosened", text: "is on: the server is not known" } : undefined),
  allowed_hosts: (_, after) => (after === undefined ? { severity: "loosened", text: "is gone: any public host may be called" } : undefined),
  smtp: (before, after) =>
    isOff(memberOf(after, "tls")) && !isOff(memberOf(before, "tls"))
      ? { severity: "loosened", text: "is without TLS: mail travels in plain text" }
      : undefined,
  url: (before, after) =>
    begin(before).startsWith("https:") && begin(after).startsWith("http:")
      ? { severity: "loosened", text: `is ${shown(begin(after))} without TLS` }
      : undefined,
};

const isOn = (value: Json | undefined): boolean => value !== undefined && isObject(value) && value.lit === true;

const isOff = (value: Json | undefined): boolean =>
  value === false || (value !== undefined && isObject(value ?? null) && (value as JsonObject).lit === false);

/** A member of a record, with or without markers in it. */
function memberOf(value: Json | undefined, name: string): Json | undefined {
  if (value === undefined || !isObject(value)) return undefined;
  if (isObject(value.lit ?? null)) return (value.lit as JsonObject)[name];
  const member = Array.isArray(value.entries) ? value.entries.find((entry) => Array.isArray(entry) && entry[0] === name) : undefined;
  return Array.isArray(member) ? member[1] : undefined;
}

/** The text with which a value begins. */
function begin(value: Json | undefined): string {
  if (value === undefined || !isObject(value)) return "";
  const first = Array.isArray(value.parts) ? value.parts[0] : value.lit;
  return typeof first === "string" ? first : "";
}

/** The fields of arguments, which are a map with markers or one literal. Fields that the compiler adds are left out. */
function fieldsOf(args: Expr): readonly (readonly [string, Json])[] {
  if (args.op === "map")
    return args.entries.flatMap(([key, value]) => (typeof key === "string" && !added.has(key) ? [[key, bare(value)] as const] : []));
  if (args.op === "lit" && isObject(args.value)) return Object.entries(args.value).map(([key, value]) => [key, { lit: value }]);
  return [["arguments", bare(args)]];
}

const added: ReadonlySet<string> = new Set(["from_data", "order", "session"]);
