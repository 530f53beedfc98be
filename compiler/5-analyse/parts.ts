import { isSimpleQuery } from "#runtime/paths/path-syntax.ts";
import type { ConfigPlan, Op } from "#runtime/plan/index.ts";
import { factsOf } from "./actions/assessor.ts";
import type { ProtocolName, RuntimePart } from "./analysed.ts";
import { everyAction, everyOp } from "./every.ts";
import { type AuthorText, textsIn } from "./texts.ts";

/**
 * The parts of the runtime that a configuration needs. A run fails when its part is missing, so a part that may be needed counts as needed.
 */
export function partsOf({ variables, interfaces }: ConfigPlan, protocols: readonly ProtocolName[]): readonly RuntimePart[] {
  const ops = interfaces.flatMap(({ actions }) => everyAction(actions)).flatMap(everyOp);
  const called = new Set(ops.flatMap((op) => factsOf(op).parts ?? []));
  const needs: Readonly<Record<RuntimePart, boolean>> = {
    json_path: ops.filter(hasPaths).flatMap(textsIn).some(mayBeQuery),
    // Clients of sockets send tokens of an issuer that the environment of the process names. The record of an issuer may be a variable.
    key_sets: protocols.includes("ws") || textsIn([variables, interfaces.map(reading)]).some(({ text }) => text.includes("jwks_url")),
    mcp_client: called.has("mcp_client"),
    ses: called.has("ses"),
    upgrades: protocols.length > 0,
  };
  return (Object.keys(needs) as RuntimePart[]).filter((part) => needs[part]); // the keys of the record
}

/** The operators of a query to a document database begin with `$` and are no paths. */
const hasPaths = ({ op }: Op): boolean => op !== "query";

/**
 * True for a path that may be a query. Only the written text decides this, never the value of a marker (spec/transforms 2.1). The text
 * behind a marker is not checked.
 */
const mayBeQuery = ({ text, is }: AuthorText): boolean =>
  text.startsWith("$") && (is === "start" || (is === "whole" && !isSimpleQuery(text)));

/** The parts of an interface that a run reads. */
const reading = ({ contract: _, accepts: __, about: ___, ...rest }: ConfigPlan["interfaces"][number]) => rest;
