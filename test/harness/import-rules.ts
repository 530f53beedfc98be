import type { Import } from "./import-list.ts";

// Who may import whom (house.md section 8). What no rule allows is forbidden.

interface Rule {
  readonly files: RegExp;
  /** What their code may import. */
  readonly may: RegExp;
  /** What they may import for its types alone, besides. */
  readonly types?: RegExp;
}

const packages = String.raw`(?:node:)?[@a-z][\w./-]*`;
const base = String.raw`runtime/(?:json|values|plan|feature|failure)\.ts`;
const lib = String.raw`runtime/lib/[\w-]+\.ts`;

const only = (...patterns: readonly string[]): RegExp => new RegExp(`^(?:${patterns.join("|")})$`);

/** What the compiler runs of the runtime: the meaning of values, never that of features. Those it knows by generated/features.ts. */
const parts = String.raw`runtime/(?:json|values|failure)\.ts|runtime/markers/.*|${lib}`;

/** The first rule whose files fit counts. */
const rules: readonly Rule[] = [
  { files: only(base), may: only(base), types: only(String.raw`runtime/(?:act|run)\.ts`) },
  { files: only(lib), may: only(String.raw`runtime/(?:json|failure)\.ts`, lib, packages), types: only(String.raw`runtime/host\.ts`) },
  {
    files: /^runtime\/(?:transforms|matchers)\//,
    may: only(String.raw`runtime/(?:json|values|failure)\.ts`, lib),
    types: only(String.raw`runtime/(?:feature|act|run)\.ts`),
  },
  {
    files: /^runtime\/actions\//,
    // `fill.ts` is what the printer calls for holes of the same fields.
    may: only(String.raw`runtime/(?:json|values|failure|fill)\.ts`, lib, String.raw`runtime/actions/.*`, packages),
    types: only(String.raw`runtime/(?:feature|act|run|host)\.ts`),
  },
  {
    files: /^runtime\/triggers\//,
    may: only(String.raw`runtime/(?:json|run|reply)\.ts`, lib, String.raw`runtime/(?:triggers|network)/.*`, packages),
    types: only(String.raw`runtime/(?:host|interface)\.ts`),
  },
  {
    files: /^runtime\/markers\//,
    may: only(String.raw`runtime/(?:json|values|failure)\.ts`, String.raw`runtime/markers/.*`, lib),
    types: only(String.raw`runtime/plan\.ts`),
  },
  // Features are handed in, so that a bundle carries only those that are named.
  {
    files: only(String.raw`runtime/walk\.ts`),
    may: only(base, String.raw`runtime/(?:body|check|fill)\.ts`, String.raw`runtime/markers/timestamp\.ts`, lib),
    types: only(String.raw`runtime/(?:act|run)\.ts`, String.raw`runtime/markers/filters\.ts`),
  },
  {
    files: only(String.raw`runtime/server\.ts`),
    may: only(String.raw`runtime/[\w-]+\.ts`, lib, String.raw`runtime/triggers/\w+\.ts`, packages),
  },
  { files: /^runtime\//, may: only(String.raw`runtime/(?!walk|server)[\w-]+\.ts`, lib, "node:.*") },
  { files: /^templates\//, may: only(String.raw`runtime/.*`, "pipewright:configs"), types: only(String.raw`runtime/.*`) },
  { files: /^test\/fixtures\//, may: only(String.raw`runtime/.*`) },
  ...[1, 2, 3, 4, 5, 6].map(phase),
  { files: /^compiler\//, may: only("compiler/.*", String.raw`generated/.*`, parts, packages), types: only("runtime/.*") },
];

/** A phase sees those before it. Only the first and the last touch the disk, only the first knows YAML. */
function phase(n: number): Rule {
  const outside = n === 1 || n === 6 ? packages : String.raw`(?!node:fs|yaml$)${packages}`;
  const earlier = String.raw`compiler/[1-${n}]-.*|compiler/diagnostics/.*`;
  return { files: new RegExp(`^compiler/${n}-`), may: only(earlier, String.raw`generated/.*`, parts, outside), types: only("runtime/.*") };
}

/** Single imports that a rule forbids and that have a reason; each must be needed. */
const allowances: readonly { readonly from: RegExp; readonly to: string; readonly why: string }[] = [
  {
    from: only(String.raw`runtime/lib/(?:target|equal|membership)\.ts`),
    to: "runtime/values.ts",
    why: "text and sizes of values, which matchers share",
  },
  { from: only(String.raw`runtime/values\.ts`), to: "runtime/lib/duration.ts", why: "a marker may give a duration" },
  { from: only(String.raw`runtime/lib/options\.ts`), to: "runtime/host.ts", why: "the default limits" },
];

const isAllowed = ({ from, to, typeOnly }: Import): boolean => {
  const rule = rules.find(({ files }) => files.test(from));
  if (rule === undefined) return false;
  if (rule.may.test(to) || (typeOnly && rule.types?.test(to) === true)) return !isForeignAction(from, to);
  return false;
};

/** An action kind is one file and the folder of its name. */
const isForeignAction = (from: string, to: string): boolean =>
  from.startsWith("runtime/actions/") && to.startsWith("runtime/actions/") && kindOf(from) !== kindOf(to);

const kindOf = (file: string): string | undefined => file.split("/")[2]?.replace(/\.ts$/, "");

/** Imports that nothing allows, as `from -> to`. */
export function forbidden(imports: readonly Import[]): readonly string[] {
  return imports
    .filter((each) => !isAllowed(each) && !allowances.some(({ from, to }) => from.test(each.from) && to === each.to))
    .map(({ from, to, typeOnly }) => `${from} -> ${to}${typeOnly ? " (type)" : ""}`);
}

/** Allowances that no import needs any more. */
export const unneeded = (imports: readonly Import[]): readonly string[] =>
  allowances
    .filter(({ from, to }) => !imports.some((each) => from.test(each.from) && to === each.to && !isAllowed(each)))
    .map(({ from, to, why }) => `${from.source} -> ${to}: ${why}`);
