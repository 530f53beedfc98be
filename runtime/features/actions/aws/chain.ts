import type { Run } from "../../../run/run.ts";
import { Failure } from "../../../value/failure.ts";
import { type Profile, profileNamed, setting, sharedFile } from "./files.ts";
import { fromMetadata, mayAskMetadata } from "./metadata.ts";
import type { ExpiringCredentials } from "./model.ts";
import { fromProcess } from "./process.ts";
import { assumeRole, fromWebIdentity } from "./roles.ts";
import type { CredentialArgs } from "./schema.ts";

/**
 * The credentials that the settings mean. Keys in the settings go first, then the usual sources of AWS: the environment, the shared files,
 * a web identity, and, where the operator allows it, the container and the machine. A profile or a file that is named excludes the other
 * sources. With `role_arn` the role is assumed by means of the credentials that were found.
 */
export async function findCredentials(run: Run, args: CredentialArgs): Promise<ExpiringCredentials> {
  const base = await baseOf(run, args);
  if (base === undefined) throw new Failure("evaluation", nowhere(run, args));
  return args.role_arn ? assumeRole(run, args, args.role_arn, base.credentials) : base;
}

/** The operator of a container or machine learns what would open its credentials. */
function nowhere(run: Run, args: CredentialArgs): string {
  const reason = "no AWS credentials were found";
  return namesSource(args) || mayAskMetadata(run)
    ? reason
    : `${reason}; those of the container or machine need PIPEWRIGHT_ALLOW_METADATA=true`;
}

const namesSource = ({ profile, credential_file }: CredentialArgs): boolean => Boolean(profile) || (credential_file ?? null) !== null;

async function baseOf(run: Run, args: CredentialArgs): Promise<ExpiringCredentials | undefined> {
  const own = staticOf(args);
  if (own !== undefined) return own;
  const isNamed = namesSource(args);
  return (
    (isNamed ? undefined : fromEnvironment(run)) ??
    (await fromProfile(run, args, profileNamed(run, args), [])) ??
    (isNamed ? undefined : ((await fromWebIdentity(run, args)) ?? (mayAskMetadata(run) ? await fromMetadata(run) : undefined)))
  );
}

/** Keys of the configuration. A key that is written but empty must not lead to the credentials of another account. */
function staticOf({ access_key_id, secret_access_key, session_token }: CredentialArgs): ExpiringCredentials | undefined {
  if (access_key_id === undefined && secret_access_key === undefined) return undefined;
  if (!access_key_id || !secret_access_key)
    throw new Failure("evaluation", `aws: the credential has no ${access_key_id ? "secret_access_key" : "access_key_id"}`);
  return { credentials: { access_key_id, secret_access_key, session_token: session_token || undefined } };
}

function fromEnvironment(run: Run): ExpiringCredentials | undefined {
  const [access_key_id, secret_access_key] = [setting(run, "AWS_ACCESS_KEY_ID"), setting(run, "AWS_SECRET_ACCESS_KEY")];
  if (access_key_id === undefined || secret_access_key === undefined) return undefined;
  return { credentials: { access_key_id, secret_access_key, session_token: setting(run, "AWS_SESSION_TOKEN") } };
}

/** Profiles that lead to another by `source_profile`. */
const mostProfiles = 8;

/** The keys of a profile, the output of its `credential_process`, or the role that it assumes. */
async function fromProfile(
  run: Run,
  args: CredentialArgs,
  name: string,
  before: readonly string[],
): Promise<ExpiringCredentials | undefined> {
  if (before.includes(name) || before.length >= mostProfiles) throw new Failure("evaluation", "aws: the profiles lead to each other");
  const [credentials, config] = [
    await sharedFile(run, "credentials", args.credential_file),
    args.credential_file === null || args.credential_file === undefined || args.config_file
      ? await sharedFile(run, "config", args.config_file)
      : () => undefined,
  ];
  const profile: Profile = { ...config(name), ...credentials(name) };
  const { role_arn, source_profile, web_identity_token_file, credential_process } = profile;
  if (role_arn && web_identity_token_file)
    return fromWebIdentity(run, args, { role_arn, file: web_identity_token_file, session: profile.role_session_name });
  if (role_arn && source_profile) {
    const source = source_profile === name ? keysOf(profile) : await fromProfile(run, args, source_profile, [...before, name]);
    if (source === undefined) throw new Failure("evaluation", "aws: the source_profile has no credentials");
    const { external_id, role_session_name } = profile;
    return assumeRole(run, { ...args, external_id, role_session_name }, role_arn, source.credentials);
  }
  return keysOf(profile) ?? (credential_process ? fromProcess(run, credential_process) : undefined);
}

function keysOf({ aws_access_key_id, aws_secret_access_key, aws_session_token }: Profile): ExpiringCredentials | undefined {
  if (!aws_access_key_id || !aws_secret_access_key) return undefined;
  const credentials = { access_key_id: aws_access_key_id, secret_access_key: aws_secret_access_key, session_token: aws_session_token };
  return { credentials };
}
