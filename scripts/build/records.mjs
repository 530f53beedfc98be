import { readFileSync } from "node:fs";
import ts from "typescript";

/** Feature files of which the compiler needs the records alone. Filters are not among them, since the compiler evaluates filters itself. */
export const hasMeaning = /[\\/]runtime[\\/]features[\\/](?:transforms|matchers|actions|secret-stores)[\\/](?:database[\\/])?[\w-]+\.ts$/;

/**
 * Gives the command the records of features without the code that runs in a service: the compiler uses only facts and stage 1, as the types
 * of generated/features.ts show, and a link reads dist/linked. This keeps a seventh of the command out of the package, and the libraries of
 * features are not loaded.
 */
export const recordsAlone = {
  name: "records-alone",
  setup({ onLoad }) {
    onLoad({ filter: hasMeaning }, ({ path }) => ({ contents: withoutMeaning(path, readFileSync(path, "utf8")), loader: "ts" }));
  },
};

/**
 * The text of a feature file without the member `run` of `spec`, and without the methods of its `driver`. Matchers that the compiler calls
 * (`AnyMatcher`) keep their `run`.
 */
export function withoutMeaning(path, text) {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest);
  const spec = literalOf(file, "spec");
  if (spec === undefined) return text;
  const driver = spec.properties.find((member) => nameOf(member) === "driver")?.initializer;
  const isAsked = /[\\/]matchers[\\/]/.test(path) && !spec.properties.some((member) => ["async", "inRun"].includes(nameOf(member)));
  const surplus = [
    ...spec.properties.filter((member) => nameOf(member) === "run" && !isAsked),
    ...(driver === undefined ? [] : literalOf(file, driver.text).properties.filter((member) => !facts.includes(nameOf(member)))),
  ];
  return surplus
    .toSorted((a, b) => b.pos - a.pos)
    .reduce((rest, { pos, end }) => rest.slice(0, pos) + rest.slice(end).replace(/^,/, ""), text);
}

/** The members of a driver that the compiler reads (`DriverFeature`). */
const facts = ["name", "speaks"];

const nameOf = (member) => member.name?.text;

/** The object literal that is the value of a constant of the file. */
function literalOf(file, name) {
  const declarations = file.statements.filter(ts.isVariableStatement).flatMap(({ declarationList }) => declarationList.declarations);
  const value = declarations.find((declaration) => nameOf(declaration) === name)?.initializer;
  return value !== undefined && ts.isObjectLiteralExpression(value) ? value : undefined;
}
