import { type KeyPath, keyPath, write } from "../../paths/path.ts";
import type { Act } from "../../run/run.ts";
import { argument, keyed } from "../../shapes/arguments.ts";
import { string } from "../../shapes/shape.ts";
import { Reject } from "../../value/failure.ts";
import type { Json } from "../../value/json.ts";
import type { Transform } from "../feature.ts";

interface Args {
  readonly key: string | null;
  readonly length: number;
}

interface Ready {
  readonly key: KeyPath;
  readonly length: number;
}

const most = 65_536;

/** Stage 1: a length outside 1..65536 is PW512. */
export function prepare({ key, length }: Args): Ready {
  if (length < 1 || length > most) throw new Reject("PW512", `length ${length} is outside 1..${most}`);
  return { key: keyPath(key), length };
}

/** Writes random bytes of the system's generator under the key, as Base64 with padding. The rest of the data stays. */
export function generate_bytes(data: Json, { key, length }: Ready, act: Act): Json {
  return write(data, key, act.run.host.bytes(length).toString("base64"));
}

export const spec: Transform<Args, Ready> = {
  summary: "Make random bytes, such as a key or a nonce.",
  schema: {
    type: "object",
    required: ["key", "length"],
    additionalProperties: false,
    properties: {
      key: { type: "string", context: "path", description: "Where the bytes are written, as Base64." },
      length: { type: "integer", description: "Number of bytes, 1 to 65536." },
    },
  },
  bounds: "65,536 bytes",
  effect: "random",
  hides: true,
  prepare,
  run: generate_bytes,
  shape: (data, { shape: args }) => keyed(data, argument(args, "key"), string),
};
