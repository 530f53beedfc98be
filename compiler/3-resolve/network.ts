import type { PolicyPlan, RulesPlan } from "#runtime/plan/index.ts";
import { header_line, rate_window } from "#runtime/start/judges.ts";
import { policySettings, rulesSettings, windowOf } from "#runtime/start/network.ts";
import { isObject, type JsonObject } from "#runtime/value/json.ts";
import { type Entry, entriesOf, get, type Node, plain } from "../1-read/document.ts";
import { isStarted } from "../2-check/started.ts";
import { network } from "../diagnostics/codes/network.ts";
import type { Report } from "../diagnostics/diagnostic.ts";
import { checkAddresses, checkCountries, disjoint } from "./network-lists.ts";

/** The policy of a configuration: its rules, and the record that interfaces inherit. */
export interface ConfigPolicy {
  readonly rules: RulesPlan | undefined;
  readonly node: Node | undefined;
}

export function configPolicy(node: Node | undefined, report: Report): ConfigPolicy {
  checkPolicy(node, report);
  return { rules: rulesSettings(written(node)), node };
}

/**
 * The policy that holds for an interface: inherited rules can only be made stricter, and its own scalars win (spec/surfaces 9). Undefined
 * when every client is admitted.
 */
export function interfacePolicy(own: Entry | undefined, config: ConfigPolicy, report: Report): PolicyPlan | undefined {
  checkPolicy(own?.value, report);
  const [mine, around] = [written(own?.value), written(config.node)];
  const resolved = policySettings(mine, around);
  if (resolved?.inherits && own !== undefined && !isStarted(own.value) && !isStarted(config.node)) {
    const apart = disjoint(config.rules, resolved.rules);
    if (apart !== undefined) report(network.nobody(apart), get(get(own.value, apart), "allow")?.span ?? own.keySpan);
  }
  if (resolved === undefined) return undefined;
  return own === undefined ? resolved : { ...resolved, at: own.keySpan };
}

/** The record as JSON. Markers are filled when the process starts; parts that depend on them are made then. */
function written(node: Node | undefined): JsonObject | undefined {
  const value = node === undefined ? undefined : plain(node);
  return value !== undefined && isObject(value) ? value : undefined;
}

/** Reports mistakes in the values that are known when compiling. */
function checkPolicy(node: Node | undefined, report: Report): void {
  for (const list of [get(node, "trusted_proxies"), ...listsOf(get(node, "ip"))]) checkAddresses(list, report);
  for (const list of listsOf(get(node, "geo"))) checkCountries(list, report);
  for (const header of entriesOf(get(get(node, "on_deny"), "headers"))) checkHeader(header, report);
  const window = get(get(node, "rate_limit"), "window");
  if (window === undefined || isStarted(window)) return;
  const value = plain(window);
  if (rate_window(windowOf(value)) !== undefined) report(network.window(), window.span);
}

const listsOf = (rule: Node | undefined): readonly (Node | undefined)[] => [get(rule, "allow"), get(rule, "deny")];

/** Checks that HTTP can carry the header; a null value leaves the header out. */
function checkHeader({ key, keySpan, value }: Entry, report: Report): void {
  if (isStarted(value)) return;
  const isName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(key);
  if (isName && value.kind === "scalar" && (value.value === null || header_line(String(value.value)) === undefined)) return;
  report(network.header(key), keySpan);
}
