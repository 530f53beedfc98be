import { bcryptHash } from "../../keys/bcrypt.ts";
import { type Compiled, type JqFilter, jqOutput } from "../../languages/jq.ts";
import { type KeyPath, keyPath, replace, type ValuePath, valuePath, write } from "../../paths/path.ts";
import { isRoot, type SourceArgument, source, sourceText } from "../../paths/source.ts";
import type { Act } from "../../run/run.ts";
import { argument, keyed, keyedFrom, ofText, onlyValue, pathIn, placesOf } from "../../shapes/arguments.ts";
import { changedBelow } from "../../shapes/place.ts";
import { alternatives, any, type Shape, string } from "../../shapes/shape.ts";
import { Failure, Reject } from "../../value/failure.ts";
import { type Json, typeOf } from "../../value/json.ts";
import { encodeUtf8 } from "../../value/utf8.ts";
import type { ShapedArguments, Transform } from "../feature.ts";

/** Null is what an unset marker leaves: the field is absent. */
interface Args {
  readonly value?: SourceArgument | null;
  /** The filter as text; with markers, `{text, values}`. */
  readonly jq?: string | JqFilter | null;
  readonly key?: string | null;
  readonly cost?: number | null;
}

interface Ready {
  readonly text: (data: Json, act: Act) => string | Promise<string>;
  /** True when the text is the whole data. */
  readonly isRoot: boolean;
  /** The place of the hash: under a key, or in place of the text. */
  readonly target: { readonly key: KeyPath } | { readonly place: ValuePath };
  readonly cost: number;
}

const defaultCost = 12;

/**
 * Stage 1: no source, nowhere to write or a cost outside 4..31 is PW512 (spec/transforms 5). The code that the compiler has printed for the
 * filter runs in place of jq.
 */
export function prepare(args: Args, compiled?: Compiled): Ready {
  const { value = null, jq = null, key = null } = args;
  if (value !== null || jq === null) return preparePlain(args);
  if (key === null) throw new Reject("PW512", "bcrypt needs key when only jq is given");
  // An error text of this filter would show the password.
  const filter = { ...(typeof jq === "string" ? { text: jq } : jq), secret: true, ...(compiled === undefined ? {} : { compiled }) };
  const text = async (data: Json, { run, signal }: Act): Promise<string> => textOf(await jqOutput(run.host, filter, data, signal));
  return { text, isRoot: false, target: { key: keyPath(key) }, cost: rounds(args) };
}

/** Prepares arguments without a filter. */
export function preparePlain(args: Args): Ready {
  const { value, key = null } = args;
  const from = value ?? key;
  if (from === null) throw new Reject("PW512", "bcrypt needs value, jq or key");
  const parsed = source(from);
  return { text: (data) => sourceText(data, parsed), isRoot: isRoot(parsed), target: targetOf(from, key), cost: rounds(args) };
}

function rounds({ cost }: Args): number {
  const rounds = cost ?? defaultCost;
  if (rounds < 4 || rounds > 31) throw new Reject("PW512", `cost ${rounds} is outside 4..31`);
  return rounds;
}

function targetOf(from: SourceArgument, key: string | null): Ready["target"] {
  if (key !== null) return { key: keyPath(key) };
  if (typeof from === "string") return { place: valuePath(from) };
  throw new Reject("PW512", "bcrypt needs key when value is a marker");
}

/** Reads the password from the output of a filter. It may be a secret: the message only says which type it has. */
function textOf(output: Json): string {
  if (typeof output === "string") return output;
  throw new Failure("transform", `expected a string, found ${typeOf(output)}`);
}

/**
 * Hashes a text with bcrypt, version 2b and a new random salt, and writes the hash under `key`, else in place of the text. Text of more
 * than 72 bytes or with a NUL is refused, because bcrypt would ignore the rest; so is a lone surrogate, and anything that is no string. The
 * rest of the data stays.
 */
export async function bcrypt(data: Json, { text, isRoot: whole, target, cost }: Ready, act: Act): Promise<Json> {
  const secret = await text(data, act);
  if (encodeUtf8(secret).length > 72) throw new Failure("transform", "value is longer than 72 bytes");
  if (secret.includes("\0")) throw new Failure("transform", "value holds a NUL character");
  const hash = await bcryptHash(act.run.host, secret, cost, act.run.host.bytes(16), act.signal);
  return "key" in target ? write(data, target.key, hash, whole) : replace(data, target.place, hash);
}

function shape(data: Shape, { shape: args }: ShapedArguments<Args>): Shape {
  const [value, jq, key] = ["value", "jq", "key"].map((name) => onlyValue(argument(args, name)));
  if (value === undefined && alternatives(argument(args, "value")).some(({ type }) => type === "null")) return any;
  if (value === null) return jq === null ? keyedFrom(data, args, "key", ofText(string)) : keyed(data, argument(args, "key"), string);
  if (key !== null) return key === undefined ? any : keyedFrom(data, args, "value", ofText(string));
  const { steps, rooted } = pathIn(argument(args, "value")) ?? { steps: undefined, rooted: false };
  return steps === undefined ? any : changedBelow(data, steps, { rooted, must: true, give: ofText(string) });
}

export const spec: Transform<Args, Ready> = {
  summary: "Hash a password with bcrypt.",
  schema: {
    type: "object",
    additionalProperties: false,
    properties: {
      value: {
        type: "string",
        context: "source",
        description: "Path of the text to hash, or a marker that gives it. Default: the output of `jq`, else the text under `key`.",
      },
      jq: {
        type: "string",
        context: "jq",
        description: "jq filter that gives the text to hash, where there is no `value`; it needs a `key`.",
      },
      key: { type: "string", context: "path", description: "Where the hash is written. Default: in place of the text at `value`." },
      cost: { type: "integer", default: defaultCost, description: "Cost factor, 4 to 31: each step doubles the time." },
    },
  },
  bounds: "text of 72 bytes, cost 31; the timeout of the action",
  effect: "random",
  hides: true,
  async: true,
  prepare,
  run: bcrypt,
  shape,
  expects: ({ value, jq, key }) => placesOf([value ?? (jq === undefined || jq === null ? key : null)]),
};
