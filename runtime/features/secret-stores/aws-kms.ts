import { secretFile } from "../../keys/secret-file.ts";
import { touches } from "../../outgoing/touches.ts";
import type { Run } from "../../run/run.ts";
import { bytesOf } from "../../value/bytes.ts";
import { Failure } from "../../value/failure.ts";
import { isObject, type Json, type JsonObject, own } from "../../value/json.ts";
import { text } from "../../value/values.ts";
import { accountOf } from "../actions/aws/account.ts";
import { jsonObject } from "../actions/aws/answers.ts";
import { callService } from "../actions/aws/call.ts";
import { endpointOf } from "../actions/aws/region.ts";
import type { SecretStoreFeature } from "../feature.ts";

const timeout = 10_000;
/** A cipher text has at most 6 KiB. */
const limit = 65_536;

/** A secret that AWS KMS decrypts: `data` or `file` is the cipher text in Base64 (spec/surfaces 11). */
export async function aws_kms_secret(settings: JsonObject, cx: Run): Promise<Json> {
  const { data = null, file = null } = settings;
  const cipherText = (file === null ? text(data) : await named(file, cx)).replace(/\s+/g, "");
  if (cipherText === "" || bytesOf(cipherText, "base64") === undefined) throw bad("its cipher text is not Base64");
  const plain = await decrypted(settings, cipherText, cx);
  const bytes = typeof plain === "string" ? bytesOf(plain, "base64") : undefined;
  if (bytes === undefined) throw bad("KMS gave no plain text");
  return bytes.toString("utf8");
}

/** The member of the answer that holds the plain text in Base64. */
async function decrypted(settings: JsonObject, cipherText: string, cx: Run): Promise<Json | undefined> {
  const setting = (name: string): string | null => text(settings[name] ?? null) || null;
  const account = await accountOf(cx, {
    region: setting("region"),
    credential_file: setting("credential_file"),
    config_file: setting("config_file"),
  });
  const { protocol, host } = endpointOf(cx, "kms", account.region, undefined);
  const headers = { "content-type": "application/x-amz-json-1.1", "x-amz-target": "TrentService.Decrypt" };
  const call = {
    service: "kms",
    method: "POST",
    protocol,
    host,
    clock: host,
    path: "/",
    query: {},
    headers,
    timeout,
    limit,
    confidential: true,
  } as const;
  try {
    const answer = await callService(cx.aside("aws-kms"), account, { ...call, body: JSON.stringify({ CiphertextBlob: cipherText }) });
    return own(jsonObject(answer.bytes, "kms"), "Plaintext");
  } catch (error) {
    throw refused(error);
  }
}

/** A file that the configuration names. */
function named(file: Json, cx: Run): Promise<string> {
  touches(cx, { kind: "files", name: text(file) });
  return secretFile(text(file));
}

/** The name of what KMS refused, never its message, which may name keys and accounts. */
function refused(error: unknown): Failure {
  if (!(error instanceof Failure)) throw error;
  const { kind, message, details } = error;
  if (kind === "timeout") return new Failure("timeout", "KMS did not answer in time");
  const { data = null } = details;
  if (kind !== "status" || !isObject(data)) return new Failure(kind, message);
  const [status, code] = [Number(own(data, "status")), own(data, "code")];
  const exception = typeof code === "string" && !code.startsWith("HTTP") ? ` (${code})` : "";
  return new Failure(status >= 500 ? "transport" : "evaluation", `KMS answered ${status}${exception}`);
}

const bad = (reason: string): Failure => new Failure("evaluation", reason);

export const spec: SecretStoreFeature = {
  summary: "A cipher text that AWS KMS decrypts.",
  schema: {
    type: "object",
    properties: {
      data: { type: "string", description: "Cipher text in Base64." },
      file: { type: "string", description: "File that holds it, in place of data." },
      region: { type: "string", description: "AWS region; without it that of the environment or of config_file." },
      credential_file: { type: "string", description: "AWS credentials file in place of ~/.aws/credentials." },
      config_file: { type: "string", description: "AWS configuration file in place of ~/.aws/config." },
    },
  },
  needs: ["data", "file"],
  touches: { aws: "kms", files: ["file", "credential_file", "config_file"] },
  run: aws_kms_secret,
};
