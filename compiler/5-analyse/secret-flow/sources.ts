import type { Expr } from "#runtime/plan/index.ts";
import { anywhere, clean, type Taint } from "./taint.ts";

type Root = Extract<Expr, { op: "root" }>;

/** The value of a root as a secret, if it is one. `sealed` names managed variables that a file of an environment seals. */
export function secretOf({ root, name = "", at }: Root, sealed: ReadonlySet<string>): Taint {
  const isManaged = root === "var" || root === "ap_var";
  const hidden = root === "secret" || (isManaged && (name.startsWith("ENCRYPTED_") || sealed.has(name)));
  if (!hidden && !((isManaged || root === "env") && saysSecret(name))) return clean;
  return anywhere([{ secret: `the ${words[root] ?? root} ${name}`, hidden, stops: [], ...(at === undefined ? {} : { at, read: at }) }]);
}

const words: Readonly<Record<string, string>> = {
  secret: "secret",
  var: "variable",
  ap_var: "variable",
  env: "environment variable",
};

/** Names of settings that hold a secret, by their last word: `STRIPE_API_KEY`, `SMTP_PASS`, `botToken`. A public key is none. */
export const saysSecret = (name: string): boolean => last.test(name.replaceAll(/(?<=[a-z\d])(?=[A-Z])/g, "_"));

const last =
  /(?:^|[_-])(?:PASS(?:WORD|WD|PHRASE)?|PWD|SECRET|TOKEN|CREDENTIALS?|APIKEY|(?:API|SECRET|PRIVATE|ACCESS|SIGNING|ENCRYPTION|MASTER|AUTH|ROLE)[_-]KEY)$/i;
