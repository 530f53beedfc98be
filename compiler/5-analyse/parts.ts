import { isSimpleQuery } from "#runtime/paths/path-syntax.ts";
import type { ConfigPlan, Op } from "#runtime/plan/index.ts";
import type { ProtocolName, RuntimePart } from "./analysed.ts";
import { isUnset, itemsOf, member } from "./capabilities/member.ts";
import { everyAction, everyOp } from "./every.ts";
import { type AuthorText, textsIn } from "./texts.ts";

/**
 * The parts of the runtime that a configuration needs. A run fails when its part is missing, so a part that may be needed counts as needed.
 */
export function partsOf({ variables, interfaces }: ConfigPlan, protocols: readonly ProtocolName[]): readonly RuntimePart[] {
  const ops = interfaces.flatMap(({ actions }) => everyAction(actions)).flatMap(everyOp);
  const needs: Readonly<Record<RuntimePart, boolean>> = {
    json_path: ops.filter(hasPaths).flatMap(textsIn).some(mayBeQuery),
    // Clients of sockets send tokens of an issuer that the environment of the process names. The record of an issuer may be a variable.
    key_sets: protocols.includes("ws") || textsIn([variables, interfaces.map(reading)]).some(({ text }) => text.includes("jwks_url")),
    mcp_client: ops.some(asksServers),
    ses: ops.some(isMailBySes),
    upgrades: protocols.length > 0,
  };
  return (Object.keys(needs) as RuntimePart[]).filter((part) => needs[part]); // the keys of the record
}

/** True when an agent has tools of a server. */
const asksServers = (op: Op): boolean =>
  op.op === "call" && op.use === "agent" && itemsOf(member(op.args, "tools")).some((tool) => !isUnset(member(tool, "mcp")));

/** True for mail by SES. The field is static, so its value is a literal. */
function isMailBySes(op: Op): boolean {
  const word = op.op === "call" && op.use === "email" ? member(op.args, "aws_ses") : undefined;
  return word?.op === "lit" && word.value === true;
}

/** True when an op may have paths. In a query to a document database, `$` begins an operator and no path. */
const hasPaths = ({ op }: Op): boolean => op !== "query";

/**
 * True for a path that may be a query. Only the written text decides this, never the value of a marker (spec/transforms 2.1). The text
 * behind a marker is not checked.
 */
const mayBeQuery = ({ text, is }: AuthorText): boolean =>
  text.startsWith("$") && (is === "start" || (is === "whole" && !isSimpleQuery(text)));

/** The parts of an interface that a run reads. */
const reading = ({ contract: _, accepts: __, about: ___, ...rest }: ConfigPlan["interfaces"][number]) => rest;
