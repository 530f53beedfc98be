import type { Act } from "../act.ts";
import { Failure, Reject } from "../failure.ts";
import type { Transform } from "../feature.ts";
import type { Json } from "../json.ts";
import { bcryptHash } from "../lib/bcrypt.ts";
import { type KeyPath, keyPath, replace, type ValuePath, valuePath, write } from "../lib/path.ts";
import { isRoot, type Source, type SourceArgument, source, sourceText } from "../lib/source.ts";

/** Null is what an unset marker leaves: the field is absent. */
interface Args {
  readonly value?: SourceArgument | null;
  readonly key?: string | null;
  readonly cost?: number | null;
}

interface Ready {
  readonly value: Source;
  /** Where the hash goes: under a key, or in place of the text. */
  readonly target: { readonly key: KeyPath } | { readonly place: ValuePath };
  readonly cost: number;
}

const defaultCost = 12;

/** Stage 1: no source, nowhere to write or a cost outside 4..31 is PW512 (decisions.md A26). */
export function prepare({ value, key, cost }: Args): Ready {
  const from = value ?? key ?? null;
  const rounds = cost ?? defaultCost;
  if (from === null) throw new Reject("PW512", "bcrypt needs value, jq or key");
  if (rounds < 4 || rounds > 31) throw new Reject("PW512", `cost ${rounds} is outside 4..31`);
  return { value: source(from), target: targetOf(from, key ?? null), cost: rounds };
}

function targetOf(from: SourceArgument, key: string | null): Ready["target"] {
  if (key !== null) return { key: keyPath(key) };
  if (typeof from === "string") return { place: valuePath(from) };
  throw new Reject("PW512", "bcrypt needs key when value is a marker");
}

/**
 * Hashes a text with bcrypt, version 2b and a new random salt, and writes the hash under `key`, else in place of the text. Text of more
 * than 72 bytes is refused, because bcrypt would ignore the rest; so is anything that is no string. The rest of the data stays.
 */
export async function bcrypt(data: Json, { value, target, cost }: Ready, act: Act): Promise<Json> {
  const text = sourceText(data, value);
  if (Buffer.byteLength(text) > 72) throw new Failure("transform", "value is longer than 72 bytes");
  const hash = await bcryptHash(act.run.host, text, cost, act.run.host.bytes(16), act.signal);
  return "key" in target ? write(data, target.key, hash, isRoot(value)) : replace(data, target.place, hash);
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
        description: "Path of the text to hash, or a marker that gives it. Default: the text under `key`.",
      },
      jq: { type: "string", description: "Filter that gives the text to hash.", unsupported: "bcrypt.jq" },
      key: { type: "string", context: "path", description: "Where the hash is written. Default: in place of the text at `value`." },
      cost: { type: "integer", default: defaultCost, description: "Cost factor, 4 to 31: each step doubles the time." },
    },
  },
  bounds: "text of 72 bytes, cost 31; the timeout of the action",
  effect: "random",
  async: true,
  prepare,
  run: bcrypt,
};
