import { saysSecret } from "#runtime/keys/secret-name.ts";
import type { Expr } from "#runtime/plan/index.ts";
import { anywhere, clean, type Taint } from "./taint.ts";

type Root = Extract<Expr, { op: "root" }>;

/**
 * The secrets in the value of a root: the root itself, if it is a secret. `sealed` names managed variables that a file of an environment
 * seals.
 */
export function secretOf({ root, name = "", at }: Root, sealed: ReadonlySet<string>): Taint {
  const isManaged = root === "var" || root === "ap_var";
  const isNamed = (isManaged || root === "env") && saysSecret(name);
  const isKnown = root === "secret" || (isManaged && (name.startsWith("ENCRYPTED_") || sealed.has(name)));
  if (!isKnown && !isNamed) return clean;
  return anywhere([
    { secret: `the ${words[root] ?? root} ${name}`, hidden: true, stops: [], ...(at === undefined ? {} : { at, read: at }) },
  ]);
}

const words: Readonly<Record<string, string>> = {
  secret: "secret",
  var: "variable",
  ap_var: "variable",
  env: "environment variable",
};
