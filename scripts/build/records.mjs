import { readFileSync } from "node:fs";
import ts from "typescript";

/** The folders of features that the compiler knows by their records alone. It evaluates filters itself. */
export const hasMeaning = /[\\/]runtime[\\/]features[\\/](?:transforms|matchers|actions|secret-stores)[\\/](?:database[\\/])?[\w-]+\.ts$/;

/**
 * Gives the command records without what the features do when a service runs: the compiler asks for facts and for stage 1 only, as the
 * types of generated/features.ts say, and a link reads dist/linked. This keeps a seventh of the command out of the package, and the
 * libraries of features are not loaded.
 */
export const recordsAlone = {
  name: "records-alone",
  setup({ onLoad }) {
    onLoad({ filter: hasMeaning }, ({ path }) => ({ contents: withoutMeaning(path, readFileSync(path, "utf8")), loader: "ts" }));
  },
};

/**
 * The text without the member `run` of `spec`, unless it is that of a matcher which the compiler asks (`AnyMatcher`), and without what its
 * `driver` does.
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

/** The members that the compiler knows of a driver (`DriverFeature`). */
const facts = ["name", "speaks"];

const nameOf = (member) => member.name?.text;

/** The object that a constant of the file is. */
function literalOf(file, name) {
  const declarations = file.statements.filter(ts.isVariableStatement).flatMap(({ declarationList }) => declarationList.declarations);
  const value = declarations.find((declaration) => nameOf(declaration) === name)?.initializer;
  return value !== undefined && ts.isObjectLiteralExpression(value) ? value : undefined;
}
