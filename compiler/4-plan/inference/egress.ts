import type { ActionListPlan, Expr, Op, Span, TextPart } from "#runtime/plan/index.ts";
import { sources as codes } from "../../diagnostics/codes/actions.ts";
import type { Report } from "../../diagnostics/diagnostic.ts";
import { recordOf } from "../../records.ts";
import { mapOf } from "../lower/fold.ts";
import { inLoop, memberOf, type Provenance, provenanceAfter, provenanceOf, type Sources, worst } from "./provenance.ts";

/** The places of addresses, and the report for addresses that come from a request. */
export interface Addresses {
  readonly report: Report;
  /** The place of each address in the file. */
  readonly places: ReadonlyMap<Expr, Span>;
}

/**
 * Marks each action that connects to an address from data (`from_data`), since such an address is checked at run time. A part of a URL that
 * comes from the configuration needs no check. The actions are in start order.
 */
export function withProvenance(list: ActionListPlan, sources: Sources, addresses: Addresses): ActionListPlan {
  const origins = new Map(sources.actions);
  const actions = list.actions.map((plan) => {
    const here = { ...sources, actions: origins };
    const ops = plan.ops.map((op) => placed(op, here, addresses));
    origins.set(plan.name, provenanceAfter(ops, here));
    return { ...plan, ops };
  });
  return { ...list, actions };
}

function placed(op: Op, sources: Sources, addresses: Addresses): Op {
  if (op.op === "lookup") return { ...op, body: withProvenance(op.body, inLoop(op, sources), addresses) };
  if (op.op !== "call" || op.args.op !== "map") return op;
  const { addresses: fields } = recordOf("actions", op.use);
  if (fields === undefined) return op;
  const { entries: written } = op.args;
  const values = Object.entries(fields).map(([name, way]) => [name, memberOf(op.args, ...way)] as const);
  for (const [name, value] of values)
    if (name !== "url" || !written.some(([key]) => key === "allowed_hosts")) warn(name, value, sources, addresses);
  const from_data = values.filter(([, e]) => provenanceOfAddress(e, sources) !== "configuration").map(([name]) => name);
  const entries = written.map(([key, value]) => [key, key === "url" ? trusting(value, sources) : value] as const);
  const args = from_data.length === 0 ? entries : [...entries, ["from_data", { op: "lit", value: from_data }] as const];
  return { ...op, args: mapOf(args) };
}

/** Warns where a request gives the beginning of an address and so chooses the service (PW465). */
function warn(field: string, address: Expr, sources: Sources, { report, places }: Addresses): void {
  const [first] = address.op === "text" ? address.parts : [];
  const begin = address.op === "text" ? (typeof first === "object" ? first.of : undefined) : address;
  const at = places.get(address);
  if (begin !== undefined && at !== undefined && provenanceOf(begin, sources) === "request") report(codes.addressOfRequest(field), at);
}

/**
 * Where the host of a URL comes from, or the whole of an address that is not a URL. The port and everything behind the authority do not
 * count.
 */
function provenanceOfAddress(e: Expr, sources: Sources): Provenance {
  return e.op === "text" ? worst(hostsIn(e.parts).map((of) => provenanceOf(of, sources))) : provenanceOf(e, sources);
}

/** The values in the host of a URL, or in an address that is not a URL. */
function hostsIn(parts: readonly TextPart[]): readonly Expr[] {
  const hosts: Expr[] = [];
  let authority = "";
  for (const part of parts) {
    if (typeof part === "string") authority = joinedAuthority(authority, part);
    else {
      if (part.fill === "url_label" ? !isBeforePort(authority) : part.fill === "url_origin" || part.fill === "text") hosts.push(part.of);
      authority += "x";
    }
  }
  return hosts;
}

/** The authority with further text, without its scheme and its user. */
function joinedAuthority(authority: string, text: string): string {
  const [left = ""] = /^.*(?::\/\/|@)/.exec(text) ?? [];
  return left === "" ? authority + text : text.slice(left.length);
}

/** True where a port follows. A colon inside brackets belongs to an address of IPv6. */
const isBeforePort = (authority: string): boolean => authority.endsWith(":") && /^(?:\[[^\]]*\]|[^:[]*):$/.test(authority);

/** The URL in whose authority values of the configuration are inserted as they are. */
function trusting(url: Expr, sources: Sources): Expr {
  if (url.op !== "text") return url;
  const parts = url.parts.map((part) =>
    typeof part === "object" && part.fill === "url_label" && provenanceOf(part.of, sources) === "configuration"
      ? { ...part, fill: "url_origin" as const }
      : part,
  );
  return { ...url, parts };
}
