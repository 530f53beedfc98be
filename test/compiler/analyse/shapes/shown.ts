import type { Shape } from "../../../../runtime/shapes/shape.ts";

/** A shape in one line: `{id: number, name?: string, ...any}`, `[string]`, `null | "a" | "b"`. */
export function shown(shape: Shape): string {
  switch (shape.type) {
    case "any":
      return "any";
    case "union":
      return shape.of.map(shown).join(" | ") || "never";
    case "array":
      return `[${shown(shape.items)}]`;
    case "object": {
      const members = [...shape.members].map(([name, { shape, optional }]) => `${name}${optional ? "?" : ""}: ${shown(shape)}`);
      return `{${[...members, ...(shape.rest === undefined ? [] : [`...${shown(shape.rest)}`])].join(", ")}}`;
    }
    case "null":
    case "boolean":
    case "number":
    case "string":
      return shape.values === undefined ? shape.type : shape.values.map((value) => JSON.stringify(value)).join(" | ");
  }
}
