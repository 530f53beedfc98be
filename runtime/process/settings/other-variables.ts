import { readRunKeys } from "../../keys/run-keys.ts";
import { notEgress } from "../../outgoing/egress.ts";
import type { Environment } from "./environment.ts";
import type { Variable } from "./variables.ts";

/**
 * Variables whose value is one of a few words. An unknown word is refused here, because the code that reads the variable would take it for
 * one of them.
 */
const words: readonly (readonly [Variable, readonly [string, ...string[]]])[] = [
  ["PIPEWRIGHT_CAPTURE_MAX", ["off", "errors", "all"]],
  ["PIPEWRIGHT_QUERY_KEYS", ["on", "off"]],
  ["PIPEWRIGHT_CLUSTERED", ["true", "false"]],
  ["PIPEWRIGHT_ALLOW_COMMANDS", ["true", "false"]],
];

/**
 * Checks variables that are not part of `Settings`, because the code that needs them reads them itself; a wrong one is listed in `unmet`.
 */
export function checkOthers(env: Environment, unmet: string[]): void {
  for (const [name, allowed] of words) oneOf(env, name, allowed, allowed[0], unmet);
  for (const name of ["PIPEWRIGHT_EGRESS_ALLOW", "PIPEWRIGHT_EGRESS_DENY"]) {
    const bad = notEgress(env[name]);
    if (bad !== undefined) unmet.push(`${name}: '${bad}' is no address or range, such as 10.0.0.0/8`);
  }
  for (const name of ["PIPEWRIGHT_DATABASE_URL", "PIPEWRIGHT_STATE_DATABASE_URL"]) {
    // The address may hold a password, so it is not shown.
    if (env[name] && !/^(?:postgres(?:ql)?:\/\/|sqlite:)./i.test(env[name])) unmet.push(`${name} must be postgres://… or sqlite:FILE`);
  }
  const keys = env.PIPEWRIGHT_RUNS_KEY ? readRunKeys(env.PIPEWRIGHT_RUNS_KEY) : undefined;
  if (keys !== undefined && "problem" in keys) unmet.push(keys.problem);
}

/** The word of a variable, or the default. A word that is not in the list is added to `unmet`. */
export function oneOf<Word extends string>(
  env: Environment,
  name: Variable,
  words: readonly Word[],
  otherwise: Word,
  unmet: string[],
): Word {
  const text = env[name] || otherwise;
  const word = words.find((candidate) => candidate === text);
  if (word === undefined) unmet.push(`${name} must be one of ${words.join(", ")}, not '${text}'`);
  return word ?? otherwise;
}
