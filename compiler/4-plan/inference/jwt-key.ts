import { badSecret } from "#runtime/keys/hmac.ts";
import { algorithmsOf, asymmetric, publicKey } from "#runtime/keys/public-keys.ts";
import { entriesOf, get, type Node } from "../../1-read/document.ts";
import { hasMarker } from "../../1-read/markers/markers.ts";
import { tests as codes } from "../../diagnostics/codes/tests.ts";
import type { Report } from "../../diagnostics/diagnostic.ts";

const ofSecrets: readonly string[] = ["HS256", "HS384", "HS512"];

/** Reports a bad key of `is_valid_jwt`: a secret that is publicly known (PW496), or an algorithm that does not fit the key (PW497). */
export function checkJwtKey(operand: Node, report: Report): void {
  const secret = operand.kind === "map" ? get(operand, "secret") : operand;
  const text = literal(secret);
  if (secret !== undefined && text !== undefined && text !== "" && badSecret(text) !== undefined) {
    report(codes.secretIsKey(), secret.span);
    return;
  }
  const alg = get(operand, "alg");
  const name = literal(alg);
  const suitable = algorithmsFor(operand);
  if (alg === undefined || name === undefined || suitable === undefined || suitable.list.includes(name)) return;
  report(codes.algorithmOfOtherKey(name, suitable.key, suitable.list), alg.span);
}

/** The algorithms of the key that the operand names; undefined when there is no key, or it cannot be read. */
function algorithmsFor(operand: Node): { readonly key: string; readonly list: readonly string[] } | undefined {
  const keys = entriesOf(operand).filter(({ key }) => ["secret", "public_key", "jwks_url"].includes(key));
  const [member] = keys;
  if (member === undefined || keys.length > 1) return undefined;
  if (member.key === "secret") return { key: member.key, list: ofSecrets };
  const pem = member.key === "public_key" ? literal(member.value) : undefined;
  if (pem === undefined) return { key: member.key, list: asymmetric };
  const read = publicKey(pem);
  return read === undefined ? undefined : { key: member.key, list: algorithmsOf(read) };
}

/** The text of a scalar that is known when compiling. */
function literal(node: Node | undefined): string | undefined {
  if (node?.kind !== "scalar" || typeof node.value !== "string") return undefined;
  return hasMarker(node.value) ? undefined : node.value;
}
