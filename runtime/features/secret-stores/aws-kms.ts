import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { profileOf } from "../../keys/aws-profile.ts";
import { type AwsCredentials, signedHeaders } from "../../keys/aws-signature.ts";
import { secretFile } from "../../keys/secret-file.ts";
import { touches } from "../../outgoing/touches.ts";
import type { Run } from "../../run/run.ts";
import { bytesOf } from "../../value/bytes.ts";
import { Failure } from "../../value/failure.ts";
import { isObject, type Json, type JsonObject, own } from "../../value/json.ts";
import { text } from "../../value/values.ts";
import { http } from "../actions/http.ts";
import type { SecretStoreFeature } from "../feature.ts";

const timeout = 10_000;
/** The addresses of a machine or container answer at once or not at all. */
const localTimeout = 2_000;

/** A secret that AWS KMS decrypts: `data` or `file` is the cipher text in Base64 (spec/surfaces 11). */
export async function aws_kms_secret(settings: JsonObject, cx: Run): Promise<Json> {
  const { data = null, file = null } = settings;
  const cipherText = (file === null ? text(data) : await named(file, cx)).replace(/\s+/g, "");
  if (cipherText === "" || bytesOf(cipherText, "base64") === undefined) throw bad("its cipher text is not Base64");
  const region = await regionOf(settings, cx);
  const credentials = await credentialsOf(settings, cx);
  const address = new URL(setting(cx, "AWS_ENDPOINT_URL_KMS") ?? setting(cx, "AWS_ENDPOINT_URL") ?? `https://kms.${region}.amazonaws.com/`);
  const body = JSON.stringify({ CiphertextBlob: cipherText });
  const headers = { "content-type": "application/x-amz-json-1.1", "x-amz-target": "TrentService.Decrypt" };
  const signed = signedHeaders({ host: address.host, service: "kms", region, headers, body }, credentials, cx.host.now());
  const answer = await ask(cx, { url: address.origin, method: "POST", headers: signed, body, data_type: "json", timeout }).catch(
    (error: unknown) => {
      throw refused(error);
    },
  );
  const plain = isObject(answer) ? (own(answer, "Plaintext") ?? null) : null;
  const bytes = typeof plain === "string" ? bytesOf(plain, "base64") : undefined;
  if (bytes === undefined) throw bad("KMS gave no plain text");
  return bytes.toString("utf8");
}

/** The body of a response with status 2xx. */
async function ask(cx: Run, args: Parameters<typeof http>[1]): Promise<Json> {
  const answer = await http(cx.aside("aws-kms"), args);
  return isObject(answer) ? (own(answer, "body") ?? null) : null;
}

async function regionOf(settings: JsonObject, cx: Run): Promise<string> {
  const region = text(settings.region ?? null) || setting(cx, "AWS_REGION") || setting(cx, "AWS_DEFAULT_REGION");
  if (region) return checked(region);
  const profile = await sharedProfile(settings.config_file ?? null, setting(cx, "AWS_CONFIG_FILE"), "config", cx);
  if (profile?.region) return checked(profile.region);
  throw bad("no AWS region is set");
}

/** The region is checked, because it becomes a part of a host name. */
function checked(region: string): string {
  if (!/^[a-z0-9-]{1,40}$/.test(region)) throw bad("the AWS region is no region");
  return region;
}

/** The file that is named, else the default chain of AWS: environment, shared file, container, machine. */
async function credentialsOf(settings: JsonObject, cx: Run): Promise<AwsCredentials> {
  const { credential_file = null } = settings;
  const credentials =
    (credential_file === null ? fromEnvironment(cx) : undefined) ??
    fromProfile(await sharedProfile(credential_file, setting(cx, "AWS_SHARED_CREDENTIALS_FILE"), "credentials", cx)) ??
    (credential_file === null ? ((await fromContainer(cx)) ?? (await fromMachine(cx))) : undefined);
  if (credentials === undefined) throw bad("no AWS credentials were found");
  return credentials;
}

function fromEnvironment(cx: Run): AwsCredentials | undefined {
  const access_key_id = setting(cx, "AWS_ACCESS_KEY_ID");
  const secret_access_key = setting(cx, "AWS_SECRET_ACCESS_KEY");
  if (access_key_id === undefined || secret_access_key === undefined) return undefined;
  return { access_key_id, secret_access_key, session_token: setting(cx, "AWS_SESSION_TOKEN") };
}

function fromProfile(profile: Readonly<Record<string, string>> | undefined): AwsCredentials | undefined {
  const { aws_access_key_id, aws_secret_access_key, aws_session_token } = profile ?? {};
  if (!aws_access_key_id || !aws_secret_access_key) return undefined;
  return { access_key_id: aws_access_key_id, secret_access_key: aws_secret_access_key, session_token: aws_session_token };
}

/** A file that the configuration names. */
function named(file: Json, cx: Run): Promise<string> {
  touches(cx, { kind: "files", name: text(file) });
  return secretFile(text(file));
}

/** A file that the secret names must be there; the usual one need not. */
async function sharedProfile(
  file: Json,
  elsewhere: string | undefined,
  usual: string,
  cx: Run,
): Promise<Readonly<Record<string, string>> | undefined> {
  const profile = setting(cx, "AWS_PROFILE") ?? "default";
  if (file !== null) return profileOf(await named(file, cx), profile);
  const content = await readFile(elsewhere ?? join(homedir(), ".aws", usual), "utf8").catch(() => undefined);
  return content === undefined ? undefined : profileOf(content, profile);
}

async function fromContainer(cx: Run): Promise<AwsCredentials | undefined> {
  const relative = setting(cx, "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI");
  const url = relative === undefined ? setting(cx, "AWS_CONTAINER_CREDENTIALS_FULL_URI") : `http://169.254.170.2${relative}`;
  if (url === undefined) return undefined;
  const file = setting(cx, "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE");
  const token = file === undefined ? setting(cx, "AWS_CONTAINER_AUTHORIZATION_TOKEN") : await secretFile(file);
  return temporary(await ask(cx, { url, headers: token === undefined ? {} : { authorization: token }, timeout: localTimeout }).catch(none));
}

/** The service of a machine, by the version that needs a token. */
async function fromMachine(cx: Run): Promise<AwsCredentials | undefined> {
  if (setting(cx, "AWS_EC2_METADATA_DISABLED") === "true") return undefined;
  const base = `${(setting(cx, "AWS_EC2_METADATA_SERVICE_ENDPOINT") ?? "http://169.254.169.254").replace(/\/$/, "")}/latest`;
  const asking = { "x-aws-ec2-metadata-token-ttl-seconds": "60" };
  const token = await ask(cx, { url: `${base}/api/token`, method: "PUT", headers: asking, data_type: "text", timeout: localTimeout }).catch(
    none,
  );
  if (typeof token !== "string") return undefined;
  const headers = { "x-aws-ec2-metadata-token": token };
  const roles = `${base}/meta-data/iam/security-credentials/`;
  const role = await ask(cx, { url: roles, headers, data_type: "text", timeout: localTimeout }).catch(none);
  if (typeof role !== "string") return undefined;
  const name = encodeURIComponent(role.split("\n")[0]?.trim() ?? "");
  return temporary(await ask(cx, { url: `${roles}${name}`, headers, data_type: "json", timeout: localTimeout }).catch(none));
}

function temporary(answer: Json): AwsCredentials | undefined {
  if (!isObject(answer)) return undefined;
  const [access_key_id, secret_access_key, session_token] = ["AccessKeyId", "SecretAccessKey", "Token"].map((key) => own(answer, key));
  if (typeof access_key_id !== "string" || typeof secret_access_key !== "string") return undefined;
  return { access_key_id, secret_access_key, session_token: typeof session_token === "string" ? session_token : undefined };
}

const none = (): null => null;

/** An empty environment variable counts as unset. */
const setting = ({ host }: Run, name: string): string | undefined => host.env(name) || undefined;

/** The name of what KMS refused, never its message, which may name keys and accounts. */
function refused(error: unknown): Failure {
  if (!(error instanceof Failure)) throw error;
  const { kind, message, details } = error;
  if (kind === "timeout") return new Failure("timeout", "KMS did not answer in time");
  if (kind !== "status" || details.upstream === undefined) return new Failure(kind, message);
  const { data = null } = details;
  const body = isObject(data) ? (own(data, "body") ?? null) : null;
  const type = isObject(body) ? own(body, "__type") : undefined;
  const exception = typeof type === "string" ? /(?:^|#)([A-Za-z]{1,60})$/.exec(type)?.[1] : undefined;
  return new Failure(
    details.upstream >= 500 ? "transport" : "evaluation",
    `KMS answered ${details.upstream}${exception === undefined ? "" : ` (${exception})`}`,
  );
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
  run: aws_kms_secret,
};
