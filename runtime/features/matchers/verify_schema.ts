import { flaws, misfit, type Structure, schemaOf, structureOf } from "../../languages/structure.ts";
import type { Verdict } from "../../run/verdict.ts";
import { schemaShape } from "../../shapes/json-schema.ts";
import { meet } from "../../shapes/meet.ts";
import type { Json } from "../../value/json.ts";
import type { JsonSchema, Matcher, MatcherOptions } from "../feature.ts";

interface Operand {
  readonly structure: Json;
  readonly disallow_unknown_keys?: boolean | null;
}

interface Ready {
  readonly structure: Structure;
  readonly isClosed: boolean;
}

/** Stage 1: an unknown type is PW423. */
export function prepare({ structure, disallow_unknown_keys }: Operand): Ready {
  return { structure: structureOf(structure), isClosed: disallow_unknown_keys === true };
}

/**
 * The target has the members of the structure, each with the type that the structure gives; the tests of the leaves pass. Null is a type of
 * its own, never a missing member. Every problem is an entry with its path, in the order of the structure; unknown keys come last. Elements
 * of a list beyond those of the structure do not count.
 */
export function verify_schema(target: Json, { structure, isClosed }: Ready, options?: MatcherOptions): Verdict {
  const wrong = misfit(target, structure);
  if (wrong !== undefined) return wrong;
  const all = flaws(target, structure, "", { isClosed, leaves: options?.leaves ?? {} });
  if (all.length === 0) return true;
  const [last, first] = [all.filter(({ isUnknownKey }) => isUnknownKey), all.filter(({ isUnknownKey }) => !isUnknownKey)];
  return { errors: [...first, ...last].flatMap(({ errors }) => errors), code: first.find(({ code }) => code !== undefined)?.code };
}

const described = ({ structure, disallow_unknown_keys }: Operand): JsonSchema =>
  schemaOf(structureOf(structure), disallow_unknown_keys === true);

export const spec: Matcher<Operand, Ready> = {
  summary: "The value has a structure of members with types.",
  schema: {
    type: "object",
    required: ["structure"],
    additionalProperties: false,
    properties: {
      structure: {
        context: "static",
        description:
          "A leaf `{ type: String }` with an optional test `validate`, a map of such nodes, or a list of them. Types: String, Number, Boolean, Array, Object, Null, Any.",
      },
      disallow_unknown_keys: { type: "boolean", default: false, description: "Members that the structure does not name are errors." },
    },
  },
  prepare,
  options: true,
  run: verify_schema,
  describe: described,
  shape: (target, operand) => (operand === undefined ? target : meet(target, schemaShape(JSON.parse(JSON.stringify(described(operand)))))),
};
