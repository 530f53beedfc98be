import { decodeToken } from "../../keys/jwt.ts";
import { type KeyPath, keyPath, write } from "../../paths/path.ts";
import { isRoot, type Source, type SourceArgument, source, sourceText } from "../../paths/source.ts";
import { keyedFrom, ofText } from "../../shapes/arguments.ts";
import { anyObject } from "../../shapes/shape.ts";
import type { Json } from "../../value/json.ts";
import type { Transform } from "../feature.ts";

interface Args {
  readonly key: string | null;
  readonly token: SourceArgument;
}

interface Ready {
  readonly key: KeyPath;
  readonly token: Source;
}

/** Stage 1 parses the paths. */
export const prepare = ({ key, token }: Args): Ready => ({ key: keyPath(key), token: source(token) });

/**
 * Writes the claims of a token, with or without `Bearer ` before it, under the key; the rest of the data stays. **Nothing is verified**,
 * neither signature nor expiry: the sender of the token may have written any claims. To rely on them, test the token with `is_valid_jwt`.
 */
export function read_jwt(data: Json, { key, token }: Ready): Json {
  return write(data, key, decodeToken(sourceText(data, token)), isRoot(token));
}

export const spec: Transform<Args, Ready> = {
  summary: "Read the claims of a token (JWT) without verifying it.",
  schema: {
    type: "object",
    required: ["key", "token"],
    additionalProperties: false,
    properties: {
      key: { type: "string", context: "path", description: "Where the claims are written." },
      token: { type: "string", context: "source", description: "Path of the token, or a marker that gives it." },
    },
  },
  effect: "pure",
  prepare,
  run: read_jwt,
  shape: (data, { shape: args }) => keyedFrom(data, args, "token", ofText(anyObject)),
};
