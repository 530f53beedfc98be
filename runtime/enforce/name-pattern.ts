import type { Run } from "../run/run.ts";
import { Failure } from "../value/failure.ts";
import type { Json } from "../value/json.ts";
import { text } from "../value/values.ts";

/** Stands for any text in a name. */
const any: unique symbol = Symbol("any");

/** The parts of a name of the manifest: texts, and places for any text. */
export type NameParts = readonly (string | typeof any)[];

interface Setting {
  readonly root: "env" | "var" | "ap_var" | "secret";
  readonly name: string;
}

/** A name of the manifest: where it has markers, its parts are known only in a run. */
export interface NamePattern {
  /** Undefined when a marker in it has no value: then it is the name of nothing. */
  readonly partsIn: (run: Run) => NameParts | undefined;
}

const special = /\\([\\*])|(\*)|a\|(env|var|ap_var|secret)::([^|]+)\|/g;

/** Reads a name of the manifest: `*` is any text, `\*` a star, `a|env::NAME|` a value of the environment. */
export function namePattern(name: string): NamePattern {
  const parts: (string | typeof any | Setting)[] = [];
  let copied = 0;
  for (const match of name.matchAll(special)) {
    const [whole, escaped, star, root, setting] = match;
    parts.push(name.slice(copied, match.index));
    copied = match.index + whole.length;
    if (escaped !== undefined) parts.push(escaped);
    else if (star !== undefined) parts.push(any);
    else parts.push({ root: root as Setting["root"], name: setting ?? "" }); // the pattern names these roots
  }
  parts.push(name.slice(copied));
  const fixed = parts.filter((part) => part !== "");
  if (fixed.every((part) => typeof part !== "object")) {
    const whole = joined(fixed);
    return { partsIn: () => whole };
  }
  return { partsIn: (run) => partsIn(fixed, run) };
}

function partsIn(parts: readonly (string | typeof any | Setting)[], run: Run): NameParts | undefined {
  const filled: (string | typeof any)[] = [];
  for (const part of parts) {
    const value = typeof part === "object" ? settingIn(part, run) : part;
    if (value === undefined) return undefined;
    filled.push(value);
  }
  return joined(filled);
}

/** Texts beside each other become one. */
export function joined(parts: NameParts): NameParts {
  const out: (string | typeof any)[] = [];
  for (const part of parts) {
    const last = out.at(-1);
    if (typeof part === "string" && typeof last === "string") out[out.length - 1] = last + part;
    else out.push(part);
  }
  return out;
}

/**
 * Reads a value that stands in a name. The compiler lists variables of the configuration by their values, so only managed ones are read
 * here.
 */
function settingIn({ root, name }: Setting, run: Run): string | undefined {
  try {
    const value = root === "env" ? run.host.env(name) : root === "secret" ? run.secret(name) : run.host.variable(name);
    return isSet(value) ? text(value) : undefined;
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}

const isSet = (value: Json | undefined): value is Json => value !== undefined && value !== null && value !== "";

/** The one text of a name without open places. */
export const onlyText = (parts: NameParts): string | undefined => {
  const [first = "", ...more] = parts;
  return more.length === 0 && typeof first === "string" ? first : undefined;
};

/** Says whether a text fits a name, in time linear in the text: each part of the name is matched at the first place where it occurs. */
export function fits(parts: NameParts, asked: string): boolean {
  const [first, ...more] = parts;
  if (first === undefined) return asked === "";
  if (more.length === 0) return first === any || first === asked;
  const last = parts.at(-1);
  const end = typeof last === "string" ? asked.length - last.length : asked.length;
  let at = typeof first === "string" ? first.length : 0;
  if (typeof first === "string" && !asked.startsWith(first)) return false;
  if (typeof last === "string" && !asked.endsWith(last)) return false;
  for (const part of parts.slice(1, -1)) {
    if (part === any) continue;
    const next = asked.indexOf(part, at);
    if (next < 0) return false;
    at = next + part.length;
  }
  return at <= end;
}

/**
 * Says whether a text fits a name of several levels, each of which stands behind one of the separators. An open part of a level fits no
 * separator; only a name that is open as a whole fits any number of levels.
 */
export function fitsLevels(parts: NameParts, asked: string, separators: string): boolean {
  if (parts.length === 1) return fits(parts, asked);
  const levels = levelsOf(parts, separators);
  const texts = levelsOf([asked], separators).map((level) => level.join(""));
  return texts.length === levels.length && texts.every((level, i) => fits(levels[i] ?? [], level));
}

/** A level begins with its separator. */
function levelsOf(parts: NameParts, separators: string): readonly NameParts[] {
  const levels: (string | typeof any)[][] = [[]];
  const add = (piece: string | typeof any): void => {
    if (piece !== any && piece !== "" && separators.includes(piece)) levels.push([piece]);
    else levels.at(-1)?.push(piece);
  };
  for (const part of parts) {
    if (part === any) add(any);
    else for (const sign of part) add(sign);
  }
  return levels.map(joined);
}
