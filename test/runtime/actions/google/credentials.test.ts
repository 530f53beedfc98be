import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import type { CredentialArgs } from "#runtime/features/actions/google/account.ts";
import { google } from "#runtime/features/actions/google.ts";
import { createHost } from "#runtime/process/host.ts";
import type { Act } from "#runtime/run/run.ts";
import { clientEmail, privateKey } from "../../../harness/peers/google-peer.ts";
import { actOn } from "../../../harness/sockets.ts";

const folder = mkdtempSync(join(tmpdir(), "google-"));
const host = createHost({ env: {} });
afterAll(() => rmSync(folder, { recursive: true }));

/** A token that the account signs itself, without a request. */
const tokenBy = (credential: CredentialArgs): Promise<Act> =>
  actOn(host, (act) => google(act, { credential, create_token: { audience: "https://a.example/" } }));
const errorBy = async (credential: CredentialArgs): Promise<string | undefined> => (await tokenBy(credential)).error;

const members = {
  type: "service_account",
  client_email: clientEmail,
  private_key: privateKey,
  project_id: "shop-1",
  universe_domain: "googleapis.com",
};

test("a key file, its JSON and its members are one credential", async () => {
  const file = join(folder, "key.json");
  writeFileSync(file, JSON.stringify(members));
  expect(await errorBy({ file })).toBeUndefined();
  expect(await errorBy({ json: JSON.stringify(members) })).toBeUndefined();
  expect(await errorBy({ client_email: clientEmail, private_key: privateKey })).toBeUndefined();
  // A member beside the file replaces that of the file.
  expect(await errorBy({ file, private_key: "none" })).toContain("private_key is no RSA key");
});

test.each([
  ["\\n", privateKey.replaceAll("\n", "\\n")],
  ["\\r\\n", privateKey.replaceAll("\n", "\\r\\n")],
  ["CRLF", privateKey.replaceAll("\n", "\r\n")],
  ["space around", `  ${privateKey}\n\n`],
])("line breaks of a key as %s", async (_, private_key) => {
  expect(await errorBy({ client_email: clientEmail, private_key })).toBeUndefined();
});

test("what is wrong is said, and nothing of it is shown", async () => {
  const file = join(folder, "none.json");
  const small = generateKeyPairSync("rsa", { modulusLength: 1024 }).privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  const curve = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  const noKey = "google: credential: private_key is no RSA key in PEM of at least 2048 bits";
  expect(await errorBy({ file })).toBe("google: credential: its file cannot be read (ENOENT)");
  expect(await errorBy({ file: folder })).toMatch(/^google: credential: its file cannot be read/);
  writeFileSync(file, "sesame");
  expect(await errorBy({ file })).toBe("google: credential: file is not the JSON of a key file");
  expect(await errorBy({ json: "[1]" })).toBe("google: credential: json is not the JSON of a key file");
  expect(await errorBy({ json: JSON.stringify({ ...members, type: "authorized_user" }) })).toBe(
    "google: credential: its type is not service_account",
  );
  expect(await errorBy({ private_key: privateKey })).toBe("google: credential: client_email is not set");
  expect(await errorBy({ client_email: clientEmail })).toBe("google: credential: private_key is not set");
  expect(await errorBy({ json: JSON.stringify({ client_email: 7, private_key: {} }) })).toBe("google: credential: client_email is not set");
  for (const private_key of ["sesame", small, curve, privateKey.slice(0, 200)])
    expect(await errorBy({ client_email: clientEmail, private_key })).toBe(noKey);
  for (const token_uri of ["http://evil.example/token", "ftp://127.0.0.1/", "token", "https://u:p@a.example/"])
    expect(await errorBy({ client_email: clientEmail, private_key: privateKey, token_uri })).toBe(
      "google: credential: token_uri is no address of https",
    );
});
