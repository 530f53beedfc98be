import type { ErrorObject } from "ajv/dist/2020.js";
import { type Document, isNull, type Node, plain } from "../1-read/document.ts";
import { shape } from "../diagnostics/codes/file.ts";
import type { Report } from "../diagnostics/diagnostic.ts";
import { explain } from "./explain.ts";
import { unflattened } from "./flat.ts";
import { looksLikeConfig } from "./foreign.ts";
import { indented } from "./indented.ts";
import { modernize } from "./legacy.ts";
import { mentionsModule } from "./modules.ts";
import { named } from "./named.ts";
import { placeOf } from "./place.ts";
import { prune } from "./prune.ts";
import { type Language, language, type Specs } from "./schema.ts";
import { type Validate, validator } from "./validator.ts";

/** Checks documents against the language with the given features. */
export type Check = (document: Document, report: Report) => Node;

/** Compiles the language once; the result checks any number of documents. */
export function checker(specs: Specs): Check {
  const definitions = language(specs);
  const validate = validator(definitions);
  return ({ root }, report) => {
    if (!looksLikeConfig(root) && !isEmpty(root)) {
      report(shape.notConfig(isNull(root)), root.span);
      return { kind: "map", span: root.span, entries: [] };
    }
    const { modern, errors } = meant(indented(root, definitions, report), definitions, validate, report);
    const reported = errors.filter(({ instancePath }) => mentionsModule(placeOf(instancePath, modern, definitions).node));
    const others = reported.length === 0 ? errors : errors.filter((error) => !reported.includes(error));
    const corrections = explain(others, modern, definitions, report);
    const dropped = new Set([...corrections.dropped, ...reported.map(({ instancePath }) => instancePath)]);
    return prune(modern, definitions, { ...corrections, dropped });
  };
}

interface Meant {
  readonly modern: Node;
  readonly errors: readonly ErrorObject[];
}

/** The tree as its author meant it, in the modern spellings, and the mistakes in it. */
function meant(root: Node, definitions: Language, validate: Validate, report: Report): Meant {
  const findings: Parameters<Report>[] = [];
  const later: Report = (...finding) => void findings.push(finding);
  const modern = named(modernize(root, later), definitions, later);
  const errors = validate(plain(modern));
  const mended = unflattened(errors, root, definitions, report);
  if (mended !== root) return meant(mended, definitions, validate, report);
  for (const finding of findings) report(...finding);
  return { modern, errors };
}

/**
 * Checks parts against one record of the language. Only a later phase can tell such parts, for example the tests inside a structure, from
 * other data. A part with a mistake becomes undefined.
 */
export const partChecker = (specs: Specs, record: string): ((node: Node, report: Report) => Node | undefined) =>
  languageChecker({ ...language(specs), root: { $ref: `#/$defs/${record}` } });

/** Checks values against a language of their own. A value with a mistake becomes undefined. */
export function languageChecker(definitions: Language): (node: Node, report: Report) => Node | undefined {
  const validate = validator(definitions);
  return (node, report) => {
    const corrections = explain(validate(plain(node)), node, definitions, report);
    return corrections.dropped.size === 0 ? prune(node, definitions, corrections) : undefined;
  };
}

const isEmpty = (root: Node): boolean => root.kind === "map" && root.entries.length === 0;
