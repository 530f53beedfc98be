import type { JsonSchema } from "#runtime/features/feature.ts";
import { type Entry, entriesOf, type Node } from "../../1-read/document.ts";
import { parseTemplate } from "../../1-read/markers/markers.ts";
import { transforms as codes } from "../../diagnostics/codes/transforms.ts";
import type { Report } from "../../diagnostics/diagnostic.ts";
import { settingForm } from "../../other-tools/forms.ts";

/** Fields whose whole value is a secret (spec/language 8). */
const fields: ReadonlySet<string> = new Set([
  ...["password", "private_key", "private_key_passphrase", "secret", "secret_key", "nonce", "secret_access_key", "bearer_auth", "pass"],
  "digest_auth_pass",
]);

/** Warns of a secret that is written into the file (PW517): it would get into version control and into the module. */
export function checkLiteralSecret({ key, value }: Entry, { context }: JsonSchema, report: Report): void {
  const isSecret = fields.has(key)
    ? isWrittenOut(value) && !(context === "source" && isPath(value))
    : key === "conn_string"
      ? hasPassword(value)
      : (key === "url" || key === "proxy") && isWritten(passwordOf(value));
  if (isSecret) report(codes.literalSecret(key), value.span);
}

/** Headers whose whole value is a credential of the caller. */
const credentials: ReadonlySet<string> = new Set([
  ...["authorization", "proxy-authorization", "x-api-key", "api-key", "apikey", "x-auth-token", "x-access-token", "private-token"],
  ...["x-auth-key", "x-secret-key", "x-api-secret", "x-api-token", "api-token"],
]);

/** Reports literal credentials in headers of a request: `authorization: Bearer …`, `x-api-key`. */
export function checkLiteralHeaders(headers: Node | undefined, report: Report): void {
  for (const { key, value } of entriesOf(headers))
    if (credentials.has(key.toLowerCase()) && isWrittenOut(value)) report(codes.literalSecret(key), value.span);
}

/** True for a path, in a field that takes a text or a path: a value that cannot be Base64 is a path (spec/transforms 2.3). */
const isPath = (node: Node): boolean => node.kind === "scalar" && /^\$|[.[]/.test(String(node.value));

/** True for a text without any marker. */
export const isLiteral = (node: Node): boolean =>
  node.kind === "scalar" &&
  node.value !== null &&
  node.value !== "" &&
  parseTemplate(String(node.value)).parts.every(({ kind }) => kind === "text");

/** True for a literal that is no value in the form of another tool, which has a warning of its own: `${{ secrets.TOKEN }}`. */
const isWrittenOut = (node: Node): boolean => isLiteral(node) && !settingForm.test(String(node.kind === "scalar" && node.value));

/** The password of an address `scheme://user:password@host`; markers have no names in it, which have colons. */
const passwordOf = (node: Node): string | undefined =>
  node.kind === "scalar" ? /:\/\/[^/?#:@]*:([^@/?#]+)@/.exec(String(node.value).replace(/a\|[^|]*\|/g, "a|"))?.[1] : undefined;

const isWritten = (password: string | undefined): boolean => password !== undefined && !password.includes("a|");

/** True for an address whose password is written out: `scheme://user:password@host`, or `password=…` among settings. */
function hasPassword(node: Node): boolean {
  if (node.kind !== "scalar" || typeof node.value !== "string") return false;
  const setting = /(?:^|[;\s?&])(?:password|pwd)\s*=\s*(?<password>[^;\s&]+)/i.exec(node.value)?.groups?.password;
  return [passwordOf(node), setting].some(isWritten);
}
