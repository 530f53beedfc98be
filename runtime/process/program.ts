import { basename } from "node:path";
import type { AdminConsole } from "../admin/watched.ts";
import type { Enforced, Enforcement } from "../enforce/enforcement.ts";
import type { Config } from "../run/interface.ts";
import type { Documentation } from "../triggers/documentation.ts";
import { stackOf } from "../value/thrown.ts";
import { unusable } from "../value/unusable.ts";
import { visible } from "../value/visible.ts";
import { isHealthy } from "./healthcheck.ts";
import { flagLines, flags } from "./settings/flags.ts";
import { type Flags, parseFlags, readSettings } from "./settings/options.ts";
import { UsageError } from "./settings/usage-error.ts";
import { status } from "./status.ts";
import { Unmet } from "./unmet.ts";
import { serveUntilSignal } from "./until-signal.ts";

/** The settings that were fixed when an executable was built. */
export interface Build {
  readonly environment: string;
  readonly version: string;
  readonly docs?: Documentation | undefined;
  /** The console; absent where the executable was built without one. */
  readonly shown?: AdminConsole | undefined;
  /** Enforces a manifest on the configs; absent without one. */
  readonly enforcement?: Enforcement | undefined;
}

/** The main program of an executable: the process ends with an exit status (spec/command-line 4). */
export function start(configs: readonly Config[], build: Build, outside: NodeJS.Process = process): void {
  endWith(main(configs, build, outside), basename(outside.execPath), outside);
}

/** The main program of a worker that runs from sources. It gets the flags of the process that has started it. */
export function startWorker(
  configs: readonly Config[],
  { docs, enforcement }: Pick<Build, "docs" | "enforcement">,
  flags: Flags,
  outside: NodeJS.Process = process,
): void {
  const serving = async (): Promise<number> => {
    const settings = await readSettings(flags, outside.env);
    const held = enforced(configs, enforcement, undefined);
    return serveUntilSignal(held.configs, { ...settings, docs, unmet: [...settings.unmet, ...held.unmet] }, outside);
  };
  endWith(serving(), "pipewright", outside);
}

function endWith(status: Promise<number>, name: string, outside: NodeJS.Process): void {
  status.then(
    (code) => outside.exit(code),
    (error: unknown) => {
      const [code, text] = ending(error);
      outside.stderr.write(visible(`${name}: ${text}\n`));
      outside.exit(code);
    },
  );
}

async function main(configs: readonly Config[], build: Build, outside: NodeJS.Process): Promise<number> {
  const { help, version, healthcheck, ...flags } = parseFlags(outside.argv.slice(2));
  if (help) outside.stdout.write(usage(basename(outside.execPath), build));
  if (version) outside.stdout.write(`${build.version}\n`);
  if (help || version) return status.done;
  if (flags.env !== undefined && flags.env !== build.environment)
    throw new UsageError(`built for --env ${build.environment}, not for '${flags.env}'`);
  const settings = await readSettings({ ...flags, env: build.environment }, outside.env);
  if (healthcheck) return (await isHealthy(settings.address, settings.port)) ? status.done : status.failed;
  const { PIPEWRIGHT_ENV: environment } = settings.env;
  const foreign =
    environment && environment !== build.environment
      ? [`PIPEWRIGHT_ENV is '${environment}': set it to ${build.environment}, for which this was built`]
      : [];
  const held = enforced(configs, build.enforcement, flags.enforceManifest);
  const unmet = [...settings.unmet, ...foreign, ...held.unmet];
  return serveUntilSignal(held.configs, { ...settings, docs: build.docs, shown: build.shown, unmet }, outside);
}

/** The configs, with a manifest enforced if they were linked with one. */
function enforced(configs: readonly Config[], enforcement: Enforcement | undefined, file: string | undefined): Enforced {
  if (enforcement !== undefined) return enforcement(configs, file);
  if (file !== undefined) throw new UsageError("--enforce-manifest: this was built without it; build with --enforce-manifest");
  return { configs, unmet: [] };
}

function ending(error: unknown): readonly [code: number, text: string] {
  if (error instanceof UsageError) return [status.usage, `${error.message}\nTry --help.`];
  if (error instanceof Unmet) return [status.unmet, error.message];
  const store = unusable(error);
  if (store !== undefined) return [status.unmet, `cannot start:\n  - ${store.message}`];
  return [status.bug, stackOf(error)];
}

const usage = (name: string, { environment, version }: Build): string => `${name} ${version}, built for the environment ${environment}

Serves its interfaces over HTTP until SIGTERM, SIGINT or SIGHUP.

Options:
${flagLines(flags)}
Examples:
  ${name} --port 8080
  ${name} --address 127.0.0.1 --vars ${environment}.yaml
  DATABASE_URL=postgres://localhost/app ${name} --dotenv .env
`;
