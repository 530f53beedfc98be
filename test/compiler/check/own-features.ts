import { actions, drivers, secretStores, triggers } from "#generated/features.ts";
import type { Specs } from "../../../compiler/2-check/schema.ts";

/** Features of the test alone: what they are called is all that matters here. */
export const specs: Specs = {
  transforms: {
    return_row: { summary: "A row.", schema: { type: "integer", minimum: 0 } },
    remove_keys: { summary: "Remove keys.", schema: { type: "array", items: { type: "string" } } },
    rename_keys: { summary: "Rename keys.", schema: { type: "object", additionalProperties: { type: "string" } } },
    choose: {
      summary: "Two forms.",
      schema: {
        anyOf: [
          { type: "string" },
          { type: "object", required: ["a"], properties: { a: { type: "number" }, b: { type: "string" } }, not: { required: ["a", "b"] } },
        ],
      },
    },
  },
  matchers: {
    is_null: { summary: "Null.", schema: { type: "boolean" } },
    is_less_than: { summary: "Less.", schema: { type: "number" } },
  },
  actions,
  drivers,
  secretStores,
  triggers,
};
