import { matchesGlob } from "node:path";
import type { Import } from "./import-list.ts";
import { allowances, rules } from "./import-rules.ts";

/** Imports that no rule and no allowance permits, as `from -> to`. */
export function forbidden(imports: readonly Import[]): readonly string[] {
  return imports
    .filter((each) => !isAllowed(each) && !allowances.some(({ from, to }) => matchesGlob(each.from, from) && to === each.to))
    .map(({ from, to, typeOnly }) => `${from} -> ${to}${typeOnly ? " (type)" : ""}`);
}

/** Allowances that no import needs. */
export const unneeded = (imports: readonly Import[]): readonly string[] =>
  allowances
    .filter(({ from, to }) => !imports.some((each) => matchesGlob(each.from, from) && to === each.to && !isAllowed(each)))
    .map(({ from, to, why }) => `${from} -> ${to}: ${why}`);

function isAllowed({ from, to, typeOnly }: Import): boolean {
  const rule = rules.find(({ files }) => matchesGlob(from, files));
  if (rule === undefined || isForeignAction(from, to)) return false;
  const may = typeOnly ? [...rule.may, ...(rule.types ?? [])] : rule.may;
  return may.some((pattern) => fits(to, pattern));
}

function fits(to: string, pattern: string): boolean {
  if (pattern === "node") return to.startsWith("node:");
  if (pattern === "packages") return isPackage(to);
  return matchesGlob(to, pattern);
}

/** True for an npm package: neither a file of the repository nor a module of Node. */
export const isPackage = (to: string): boolean => !/^(?:runtime|compiler|generated|templates|test)\/|:/.test(to);

/**
 * True for an import from another kind of action. A kind is one file and the folder of its name. Permitted exceptions: document operations
 * use databases; agents and cloud services use the code of `http`; a profile of AWS may name a command; SES uses AWS.
 */
const isForeignAction = (from: string, to: string): boolean =>
  from.startsWith("runtime/features/actions/") &&
  to.startsWith("runtime/features/actions/") &&
  kindOf(from) !== kindOf(to) &&
  !(asksByHttp.includes(kindOf(from) ?? "") && kindOf(to) === "http") &&
  !(kindOf(from) === "aws" && to === "runtime/features/actions/command/process.ts") &&
  !(kindOf(from) === "email" && kindOf(to) === "aws");

const asksByHttp: readonly string[] = ["agent", "aws", "google"];

const kindOf = (file: string): string | undefined => file.split("/")[3]?.replace(/\.ts$/, "").replace("document_operation", "database");
