import { randomText } from "../../keys/random-text.ts";
import { type KeyPath, keyPath, write } from "../../paths/path.ts";
import type { Act } from "../../run/run.ts";
import { argument, keyed } from "../../shapes/arguments.ts";
import { objectsOf } from "../../shapes/edit.ts";
import { string } from "../../shapes/shape.ts";
import { Failure, Reject } from "../../value/failure.ts";
import { isObject, type Json, typeOf } from "../../value/json.ts";
import type { Transform } from "../feature.ts";

/** Null is what an unset marker leaves: the field is absent. */
interface Args {
  readonly key: string | null;
  readonly length: number;
  readonly numbers?: boolean | null;
  readonly lowercase_letters?: boolean | null;
  readonly uppercase_letters?: boolean | null;
  readonly symbols?: boolean | null;
  readonly spaces?: boolean | null;
  readonly exclude_similar_characters?: boolean | null;
  readonly strict?: boolean | null;
}

interface Ready {
  readonly key: KeyPath;
  readonly length: number;
  /** Characters of each enabled class. */
  readonly classes: readonly string[];
  /** At least one of each class. */
  readonly strict: boolean;
}

const characters = {
  numbers: "0123456789",
  lowercase_letters: "abcdefghijklmnopqrstuvwxyz",
  uppercase_letters: "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
  symbols: "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~",
  spaces: " ",
} as const;

const enabled = { numbers: true, lowercase_letters: true, uppercase_letters: true, symbols: true, spaces: false } as const;
const kinds = ["numbers", "lowercase_letters", "uppercase_letters", "symbols", "spaces"] as const;

/** Characters that are easily taken for another one. */
const similar = /[iIlL1|oO0"'`]/g;

const most = 65_536;

/** Stage 1: no class, a length outside 1..65536, or a strict one with fewer characters than classes is PW512. */
export function prepare({ key, length, exclude_similar_characters, strict, ...choices }: Args): Ready {
  const classes = kinds
    .filter((kind) => choices[kind] ?? enabled[kind])
    .map((kind) => (exclude_similar_characters ? characters[kind].replace(similar, "") : characters[kind]));
  const least = (strict ?? true) ? classes.length : 1;
  if (classes.length === 0) throw new Reject("PW512", "a password needs a class of characters");
  if (length < least || length > most) throw new Reject("PW512", `length ${length} is outside ${least}..${most}`);
  return { key: keyPath(key), length, classes, strict: strict ?? true };
}

/**
 * Writes a random password under the key. Every character is as likely as any other; a strict password that lacks a class is drawn again as
 * a whole, which keeps it so. The data must be an object.
 */
export function generate_password(data: Json, { key, length, classes, strict }: Ready, act: Act): Json {
  if (!isObject(data)) throw new Failure("transform", `expected an object, found ${typeOf(data)}`);
  const draw = (): string => randomText(classes.join(""), length, act.run.host.bytes);
  let password = draw();
  while (strict && !classes.every((one) => [...one].some((character) => password.includes(character)))) password = draw();
  return write(data, key, password);
}

export const spec: Transform<Args, Ready> = {
  summary: "Make a random password.",
  schema: {
    type: "object",
    required: ["key", "length"],
    additionalProperties: false,
    properties: {
      key: { type: "string", context: "path", description: "Where the password is written." },
      length: { type: "integer", description: "Number of characters." },
      numbers: { type: "boolean", default: true, description: "Use the digits 0 to 9." },
      lowercase_letters: { type: "boolean", default: true, description: "Use the letters a to z." },
      uppercase_letters: { type: "boolean", default: true, description: "Use the letters A to Z." },
      symbols: { type: "boolean", default: true, description: "Use the 32 punctuation marks of ASCII." },
      spaces: { type: "boolean", default: false, description: "Use the blank." },
      exclude_similar_characters: {
        type: "boolean",
        default: false,
        description: "Leave out i, I, l, L, 1, |, o, O, 0, quotes and the back-tick.",
      },
      strict: { type: "boolean", default: true, description: "Use at least one character of each class." },
    },
  },
  bounds: "65,536 characters",
  effect: "random",
  hides: true,
  prepare,
  run: generate_password,
  shape: (data, { shape: args }) => keyed(objectsOf(data), argument(args, "key"), string),
};
