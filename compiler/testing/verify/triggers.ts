import fc from "fast-check";
import { asObject, type Json, type JsonObject } from "#runtime/value/json.ts";
import type { AnalysedInterface } from "../../5-analyse/analysed.ts";
import { entrancesOf } from "../../5-analyse/entrances.ts";
import { triggers } from "../schema.ts";

/** The name of a trigger in tests. */
export type Trigger = (typeof triggers)[number];

/** The triggers of an interface that tests can name; without one of them it is the command line. */
export function triggersOf(target: AnalysedInterface): readonly Trigger[] {
  const kinds: ReadonlySet<string> = new Set(entrancesOf(target).map(({ kind }) => kind));
  const own = triggers.filter((trigger) => kinds.has(trigger));
  return own.length === 0 ? ["cli"] : own;
}

/** The parts of a request by which triggers differ. */
interface Parts {
  readonly params: fc.Arbitrary<JsonObject>;
  readonly headers: fc.Arbitrary<Readonly<Record<string, string>>>;
  readonly body: fc.Arbitrary<Json | undefined>;
}

/**
 * The parts of a request in the form of a trigger: a schedule sends only its own parameters, the arguments of a tool call are body and
 * parameters, and a message has a body.
 */
export function delivered(trigger: Trigger, { params, headers, body }: Parts): Parts & { readonly trigger: fc.Arbitrary<Trigger> } {
  const all = { trigger: fc.constant(trigger), params, headers, body };
  switch (trigger) {
    case "http":
    case "cli":
      return all;
    case "schedule":
      return { ...all, params: fc.constant({}), headers: fc.constant({}), body: fc.constant(undefined) };
    case "mqtt":
    case "ws":
      return { ...all, body: body.map((each) => each ?? null) };
    case "mcp":
      return { ...all, params: fc.constant({}), body: body.map(asObject) };
  }
}
