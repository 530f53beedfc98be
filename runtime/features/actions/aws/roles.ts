import { encodeForm } from "../../../formats/form.ts";
import type { AwsCredentials } from "../../../keys/aws-signature.ts";
import { secretFile } from "../../../keys/secret-file.ts";
import type { Run } from "../../../run/run.ts";
import { exchange } from "../http/exchange.ts";
import { elementAt, unreadable, xmlRoot } from "./answers.ts";
import { callService } from "./call.ts";
import { errorOf, serviceFailure } from "./errors.ts";
import { setting } from "./files.ts";
import type { ExpiringCredentials } from "./model.ts";
import { endpointOf, regionOf } from "./region.ts";
import type { CredentialArgs } from "./schema.ts";
import { bad, temporary } from "./temporary.ts";

const timeout = 10_000;
const limit = 65_536;
const type = "application/x-www-form-urlencoded; charset=utf-8";

/** A role, the file with the token of the caller, and the name of the session. */
interface WebIdentity {
  readonly role_arn: string;
  readonly file: string;
  readonly session: string | undefined;
}

/** A role that a token of another issuer gives, as Kubernetes mounts it. The file is read each time, since it is written anew. */
export async function fromWebIdentity(
  run: Run,
  args: CredentialArgs,
  given = ofEnvironment(run),
): Promise<ExpiringCredentials | undefined> {
  if (given === undefined) return undefined;
  const token = (await secretFile(given.file)).trim();
  if (token === "") throw bad("aws: the file of the web identity is empty");
  const fields = {
    ...{ Action: "AssumeRoleWithWebIdentity", Version: "2011-06-15", RoleArn: given.role_arn },
    ...{ RoleSessionName: sessionName(given.session), WebIdentityToken: token },
  };
  const url = endpointOf(run, "sts", await regionOf(run, args), args.endpoint ?? undefined);
  const call = {
    ...{ method: "POST", url, query: "", headers: new Map([["content-type", type]]), body: encodeForm(fields) },
    ...{ timeout, connectTimeout: timeout, idleTimeout: null, streams: false, transport: undefined, limit },
    confidential: true as const,
  };
  const act = run.aside("aws");
  const answer = await exchange(act, call, run.host.monotonic() + timeout);
  if (answer.status !== 200) throw serviceFailure("sts", answer, await errorOf(answer, "sts", act));
  return sessionOf(run, answer.bytes, "AssumeRoleWithWebIdentity");
}

function ofEnvironment(run: Run): WebIdentity | undefined {
  const [file, role_arn] = [setting(run, "AWS_WEB_IDENTITY_TOKEN_FILE"), setting(run, "AWS_ROLE_ARN")];
  return file === undefined || role_arn === undefined ? undefined : { file, role_arn, session: setting(run, "AWS_ROLE_SESSION_NAME") };
}

/** A role that other credentials may take. */
export async function assumeRole(
  run: Run,
  args: CredentialArgs,
  role_arn: string,
  credentials: AwsCredentials,
): Promise<ExpiringCredentials> {
  const region = await regionOf(run, args);
  const { protocol, host, pathname } = endpointOf(run, "sts", region, args.endpoint ?? undefined);
  const fields = {
    ...{ Action: "AssumeRole", Version: "2011-06-15", RoleArn: role_arn, RoleSessionName: sessionName(args.role_session_name) },
    ...(args.external_id ? { ExternalId: args.external_id } : {}),
  };
  const account = { credentials, region, endpoint: undefined, path_style: undefined, renew: async () => undefined };
  const call = {
    ...({ service: "sts", method: "POST", protocol, host, clock: host, path: pathname, query: {} } as const),
    ...{ headers: { "content-type": type }, body: encodeForm(fields), timeout, limit },
    confidential: true as const,
  };
  const { bytes } = await callService(run.aside("aws"), account, call);
  return sessionOf(run, bytes, "AssumeRole");
}

/** Names of sessions stand in the logs of AWS. */
const sessionName = (name: string | null | undefined): string => name || "pipewright";

async function sessionOf(run: Run, bytes: Buffer, action: string): Promise<ExpiringCredentials> {
  const root = await xmlRoot(bytes, `${action}Response`, "sts", run.aside("aws"));
  const session = temporary(elementAt(root, `${action}Result`, "Credentials") ?? null);
  if (session === undefined) throw unreadable("sts", "a session");
  return session;
}
