import type { Shape } from "#runtime/shapes/shape.ts";
import { code } from "../6-print/code.ts";
import { cut } from "../6-print/types/cut.ts";
import { shapeType, type TypeWords } from "../6-print/types/shape-type.ts";

const words: TypeWords = { json: code`Json`, object: code`JsonObject` };

/** A shape as a readable type; parts that are too deep or too long are shown as any value. */
export const shapeText = (shape: Shape): string => shapeType(cut(shape), words);
