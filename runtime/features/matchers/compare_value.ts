import { difference } from "../../paths/difference.ts";
import type { Verdict } from "../../run/verdict.ts";
import type { Json } from "../../value/json.ts";
import { unset } from "../../value/operand.ts";
import { show } from "../../value/show.ts";
import type { Matcher } from "../feature.ts";

/** Null is a marker that is unset; a null that is written is left out. */
interface Operand {
  readonly target?: Json;
  /** The content of the file. */
  readonly file?: Json;
  readonly ignore_fields?: readonly string[] | null;
}

interface Ready {
  readonly unset: string | undefined;
  readonly expected: Json;
  readonly ignored: ReadonlySet<string>;
}

/** Stage 1 separates the value that is compared from the fields that do not count. */
export function prepare({ target, file, ignore_fields }: Operand): Ready {
  return { unset: unset({ target, ignore_fields }), expected: target ?? file ?? null, ignored: new Set(ignore_fields) };
}

/**
 * The target has the same structure and values as another one: no coercion, every member counts but the ignored ones, null is not the same
 * as missing. The detail names the first place where they differ. Compared with a marker that is unset, nothing passes.
 */
export function compare_value(actual: Json, { unset, expected, ignored }: Ready): Verdict {
  if (unset !== undefined) return unset;
  const place = difference(actual, expected, ignored);
  return place === undefined || `expected target to match, differs at ${show(place)}`;
}

export const spec: Matcher<Operand, Ready> = {
  summary: "The value has the structure and the values of another one.",
  schema: {
    type: "object",
    additionalProperties: false,
    allOf: [{ not: { required: ["target", "file"] } }, { anyOf: [{ required: ["target"] }, { required: ["file"] }] }],
    properties: {
      target: { context: "json", description: "The expected value: a structure, or a JSON template." },
      file: {
        type: "string",
        context: "json_file",
        description: "File beside the configuration with the expected value as JSON, read when compiling.",
      },
      ignore_fields: { type: "array", items: { type: "string" }, description: "Names of members that do not count, at any depth." },
    },
  },
  prepare,
  comparesMembers: true,
  run: compare_value,
  target: { description: "Equal to a given structure." },
};
