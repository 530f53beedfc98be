import { randomBytes } from "node:crypto";
import { bytesOf } from "../value/bytes.ts";
import { isObject, type Json, type JsonObject } from "../value/json.ts";
import { nonceBytes, seal, unseal } from "./aes-gcm.ts";

// The envelope of managed variables (spec/surfaces 11): a data key seals the values of a file, the master key seals the data key.

const keyBytes = 32;
const tagBytes = 16;
const version = "v1";

/** The name under which a file of variables keeps its data key; no variable can have it. */
export const dataKeyName = "x-data-key";

/** The owner of the values in a file: an environment of an organisation, or `base` for those of all environments. */
export interface Owner {
  readonly organisation: string;
  readonly slot: string;
}

/** Values that every environment has unless it has its own. */
export const baseSlot = "base";

/** The place to which a sealed text is bound: after a move to another name, environment or organisation it cannot be opened. */
const about = (name: string, { organisation, slot }: Owner): string => `${organisation}|${name}|${slot}|${version}`;

/** The master key: Base64 of 32 bytes. Undefined when it is none. */
export function masterKeyOf(text: string): Buffer | undefined {
  const key = bytesOf(text, "base64");
  return key?.length === keyBytes ? key : undefined;
}

export const newDataKey = (): Buffer => randomBytes(keyBytes);

/** The data key as a file keeps it. */
export const wrapDataKey = (dataKey: Uint8Array, master: Uint8Array, owner: Owner): string =>
  sealed(dataKey, master, about(dataKeyName, owner));

/** Undefined when the master key, the owner or the text is another. */
export function openDataKey(wrapped: string, master: Uint8Array, owner: Owner): Buffer | undefined {
  const key = opened(wrapped, master, about(dataKeyName, owner));
  return key?.length === keyBytes ? key : undefined;
}

/** `{sealed: …}`: each value with a random nonce of its own. */
export const sealValue = (name: string, value: Json, dataKey: Uint8Array, owner: Owner): JsonObject => ({
  sealed: sealed(Buffer.from(JSON.stringify(value)), dataKey, about(name, owner)),
});

/** Undefined when it was not sealed with this key for this name and owner, or was altered. */
export function openValue(name: string, value: SealedValue, dataKey: Uint8Array, owner: Owner): Json | undefined {
  const plain = opened(value.sealed, dataKey, about(name, owner));
  // We have written it ourselves, as the tag has proved.
  return plain === undefined ? undefined : (JSON.parse(plain.toString("utf8")) as Json);
}

export interface SealedValue {
  readonly sealed: string;
}

/** A variable whose value is a map with the single key `sealed`. */
export const isSealed = (value: Json | undefined): value is Json & SealedValue =>
  isObject(value) && Object.keys(value).join() === "sealed" && typeof value.sealed === "string";

/** A text that a place of a database keeps; with another key, or at another place, it cannot be opened. */
export const sealText = (text: string, key: Uint8Array, place: string): string => sealed(Buffer.from(text), key, place);

/** Undefined when it was not sealed with this key for this place, or was altered. */
export const openText = (text: string, key: Uint8Array, place: string): string | undefined => opened(text, key, place)?.toString("utf8");

function sealed(plain: Uint8Array, key: Uint8Array, label: string): string {
  const nonce = randomBytes(nonceBytes);
  const { value, tag } = seal(plain, key, nonce, label);
  return `${version}.${Buffer.concat([nonce, tag, value]).toString("base64url")}`;
}

function opened(text: string, key: Uint8Array, label: string): Buffer | undefined {
  const [, encoded] = /^v1\.([A-Za-z0-9_-]+)$/.exec(text) ?? [];
  const bytes = Buffer.from(encoded ?? "", "base64url");
  if (bytes.length < nonceBytes + tagBytes) return undefined;
  const [nonce, tag, value] = [
    bytes.subarray(0, nonceBytes),
    bytes.subarray(nonceBytes, nonceBytes + tagBytes),
    bytes.subarray(nonceBytes + tagBytes),
  ];
  return unseal({ value, tag }, key, nonce, label);
}
