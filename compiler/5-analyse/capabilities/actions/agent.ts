import { modelServices } from "#runtime/outgoing/model-services.ts";
import type { Expr } from "#runtime/plan/index.ts";
import type { Sources } from "../../../4-plan/inference/provenance.ts";
import { isConfirmed } from "../../confirms.ts";
import { hostsOf } from "../hosts.ts";
import { isUnset, itemsOf, member } from "../member.ts";
import { nameOf, namesOf, readable } from "../names.ts";
import { keysOf } from "../state-keys.ts";
import { all, type Touched, type Toucher } from "../touched.ts";

const addresses: Readonly<Record<string, string>> = modelServices;

/**
 * The service of the model, the tools with their servers, and the stored conversation. A tool that is an interface is listed by its own
 * touches.
 */
export const toucher: Toucher = (args, known, config) => {
  const url = member(args, "model", "url");
  const { name: api } = nameOf(member(args, "model", "api"), known);
  const address = Object.hasOwn(addresses, api) ? addresses[api] : undefined;
  const usual = address === undefined ? [{ name: "*" }] : hostsOf({ op: "lit", value: address }, known);
  const service = isUnset(url) ? usual : hostsOf(url, known);
  const tools = itemsOf(member(args, "tools"));
  const memory = member(args, "memory");
  const keys = isUnset(memory) ? [] : ["get", "set"].flatMap((verb) => keysOf(memory, verb, known, config));
  return [...all("hosts", service), ...tools.flatMap((tool) => toolsIn(tool, known)), ...keys];
};

/**
 * The interface or the tools that an entry lets the model call, and the interface that tells a user of a call. A star stands for any tool.
 */
function toolsIn(tool: Expr, known: Sources): readonly Touched[] {
  const asker = member(tool, "confirm", "interface");
  const verb = isConfirmed(tool) ? "confirm" : "call";
  const own = ownTools(tool, known).map((one) => (one.kind === "tools" ? { ...one, verb } : one));
  return [...own, ...(isUnset(asker) ? [] : all("tools", namesOf(asker, known)).map((one) => ({ ...one, verb: "tell" })))];
}

function ownTools(tool: Expr, known: Sources): readonly Touched[] {
  const target = member(tool, "interface");
  if (!isUnset(target)) return all("tools", namesOf(target, known));
  const hosts = hostsOf(member(tool, "mcp", "url"), known);
  const allowed = namesOf(member(tool, "allow"), known).map((name) => (readable(name.name) === "*" ? { name: "*" } : name));
  return [...all("hosts", hosts), ...hosts.flatMap(({ name: of }) => all("tools", allowed).map((one) => ({ ...one, of })))];
}
