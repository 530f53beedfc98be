import { type Definitions, either, list, map, record, ref } from "./shapes.ts";
import { described, type Features } from "./skeleton-tests.ts";

/** Transforms that hold tests or transforms, for which the compiler has operations of its own (spec/transforms 4). */
export const operations: Features = {
  filter: {
    summary: "Keep the elements of a list that pass tests.",
    schema: {
      ...record(
        "Filter",
        "Which elements are kept.",
        {
          target: { type: "string", context: "path", description: "Path of the list, by default the data themselves." },
          conditions: {
            ...map(
              "Tests of an element, by the path of a value in it; `$` is the element.",
              either(
                "Matchers, or what the value must be equal to.",
                { ...ref("Test", "Matchers."), type: "object" },
                {
                  type: ["string", "number", "boolean", "null", "array"],
                  description: "What the value must be equal to.",
                },
              ),
            ),
            keys: "path",
          },
        },
        ["conditions"],
      ),
    },
  },
  nested_transforms: {
    summary: "Apply transforms to parts of the data.",
    schema: {
      ...map(
        "Transforms by the path of what they change; without `$`, a list is taken element by element.",
        list("Transforms, in order.", ref("Transform", "A transform.")),
      ),
      keys: "path",
    },
  },
};

/** An entry of `post_transforms`: exactly one of the transforms. */
export function transformRecords(transforms: Features): Definitions {
  return {
    Transform: {
      title: "Transform",
      description: "One transform of the data.",
      type: "object",
      properties: { ...described(operations), ...described(transforms) },
      additionalProperties: false,
      minProperties: 1,
      maxProperties: 1,
      whole: true,
    },
  };
}
