import { join } from "node:path";
import { FileRefused, readRegular } from "../../../files/regular-file.ts";
import { profileOf } from "../../../keys/aws-profile.ts";
import { secretFile } from "../../../keys/secret-file.ts";
import { touches } from "../../../outgoing/touches.ts";
import type { Run } from "../../../run/run.ts";
import { Failure } from "../../../value/failure.ts";
import type { CredentialArgs } from "./schema.ts";

/** The settings of a profile. */
export type Profile = Readonly<Record<string, string>>;

/** An empty environment variable counts as unset. */
export const setting = ({ host }: Run, name: string): string | undefined => host.env(name) || undefined;

export const profileNamed = (run: Run, { profile }: CredentialArgs): string => profile || setting(run, "AWS_PROFILE") || "default";

/** The environment variables that name the files in place of those below the home folder. */
const variables = { credentials: "AWS_SHARED_CREDENTIALS_FILE", config: "AWS_CONFIG_FILE" } as const;

const mostBytes = 1_048_576;

/** The profiles of a shared file. One that the settings name must be there; the usual one need not. */
export async function sharedFile(
  run: Run,
  file: keyof typeof variables,
  named: string | null | undefined,
): Promise<(profile: string) => Profile | undefined> {
  const content =
    named === null || named === undefined
      ? await usual(setting(run, variables[file]) ?? belowHome(run, file))
      : await namedFile(run, named);
  return (profile) => (content === undefined ? undefined : profileOf(content, profile));
}

/** The text of a file that the configuration names. */
function namedFile(run: Run, path: string): Promise<string> {
  touches(run, { kind: "files", name: path });
  return secretFile(path);
}

function belowHome(run: Run, file: string): string | undefined {
  const home = setting(run, "HOME") ?? setting(run, "USERPROFILE");
  return home === undefined ? undefined : join(home, ".aws", file);
}

async function usual(path: string | undefined): Promise<string | undefined> {
  if (path === undefined) return undefined;
  try {
    return (await readRegular(path, mostBytes)).toString("utf8");
  } catch (error) {
    if (error instanceof FileRefused) throw new Failure("evaluation", `an AWS file cannot be read: ${error.message}`, { cause: error });
    return undefined;
  }
}
