import type { Pattern } from "../parse/tree.ts";
import { Falls } from "./constants.ts";
import type { JqPlace } from "./place.ts";

/** The place in which the variables of `as` stand for parts of the input. The input must be a name. */
export function bound(pattern: Pattern, p: JqPlace): JqPlace {
  switch (pattern.kind) {
    case "variable":
      return { ...p, variables: new Map([...p.variables, [pattern.name, p.input]]) };
    case "list":
    case "object":
      throw new Falls("a pattern after 'as'", { kind: "identity", start: 0, end: 0 });
  }
}
