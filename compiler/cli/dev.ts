import { readPipes, type Settings } from "#runtime/process/settings/options.ts";
import { findConfigs } from "../1-read/files.ts";
import { linkedPackage } from "../7-link/linked.ts";
import { type Live, loadLive } from "../7-link/live.ts";
import { consoleParts } from "../console/page.ts";
import { followChanges } from "./dev/changes.ts";
import { listenToKeys } from "./dev/keys.ts";
import { LateTests } from "./dev/late-tests.ts";
import { readableLog } from "./dev/log.ts";
import { Looks } from "./dev/looks.ts";
import { DevPage } from "./dev/page.ts";
import { freePort } from "./dev/port.ts";
import { sayingRequests } from "./dev/requests.ts";
import { ServedProject } from "./dev/served.ts";
import { openInspector } from "./inspector.ts";
import { askedEnvironment, besides, type Terminal } from "./project.ts";
import type { ServeFlags } from "./serve.ts";
import { commandSettings } from "./settings.ts";
import { ownState } from "./state-file.ts";
import { status } from "./status.ts";

/** The flags of `serve` except the manifest, because a project in development has no reviewed manifest. */
type DevFlags = Omit<ServeFlags, "enforceManifest">;

/** Serves only on this machine, and reloads after every save. A save that does not compile leaves the last good version in place. */
export async function dev(paths: readonly string[], flags: DevFlags, terminal: Terminal): Promise<number> {
  openInspector(flags.inspect);
  const environment = askedEnvironment(flags, terminal) ?? "development";
  // A path that is missing at the start is misspelt; later a path may disappear and return.
  findConfigs(paths, terminal.cwd);
  const piped = await readPipes(flags.vars);
  const read = (): Promise<Settings> => settingsOf(paths, { ...flags, env: environment, piped }, terminal);
  const { live, page, service, variables } = await openService(await read(), terminal);
  const ofEnvironment = flags.env === undefined ? {} : { env: flags.env };
  await using tests = new LateTests(paths, ofEnvironment, terminal);
  page.reveal({ watched: service.watched, tests });
  const project = new ServedProject(live, service, page, terminal);
  const options = { ...flags, environment };
  const looks = new Looks({ paths, options, project, variables, read, announce: () => service.announce() }, terminal);
  const quit = Promise.withResolvers<void>();
  const reload = async (): Promise<void> => {
    await looks.look(async () => true);
    terminal.err("looked at all files again\n");
  };
  const test = async (): Promise<void> => {
    const { testBeside } = await import("./test.ts");
    await testBeside(paths, { format: "text", quiet: true, ...ofEnvironment }, terminal);
  };
  const release = listenToKeys({ reload, url: service.url, quit: quit.resolve, test, routes: () => project.sayRoutes() }, terminal);
  const others = (): readonly string[] => [...looks.included, ...(flags.vars ?? []).filter((file) => !piped.has(file))];
  const ends = new AbortController();
  const following = followChanges({ paths, cwd: terminal.cwd, environment, others }, (isQuiet) => looks.look(isQuiet), ends.signal);
  let isClosed = false;
  try {
    await Promise.race([live.stopped(process), following, quit.promise]);
    ends.abort();
    await following;
  } finally {
    release();
    ends.abort();
    isClosed = await service.close();
  }
  return isClosed ? status.done : status.failed;
}

/** The parts of a service, and of its page, that exist before the first configuration. */
interface Opened {
  readonly live: Live;
  readonly page: DevPage;
  readonly service: Awaited<ReturnType<Live["serve"]>>;
  /** The variables. It stays the same object, because runs read it; its content changes with the files. */
  readonly variables: Record<string, Settings["variables"][string]>;
}

async function openService(settings: Settings, terminal: Terminal): Promise<Opened> {
  const live = await loadLive(terminal.cwd);
  const parts = await consoleParts();
  const page = await DevPage.open(live, linkedPackage().folder, parts);
  const shown = live.consoles().adminConsole(parts, page.facts);
  const variables = { ...settings.variables };
  const env = withOpenChannels(settings.env);
  const log = terminal.isTerminal ? { log: readableLog(terminal, settings.logLevel) } : {};
  const beside = terminal.isTerminal ? sayingRequests(page.beside, terminal) : page.beside;
  const port = await freePort(settings.address, settings.port);
  if (port !== settings.port) terminal.err(`port ${settings.port} is taken: ${port} is used\n`);
  const service = await live.serve([], { ...settings, port, env, variables, beside, shown, announces: false, ...log });
  return { live, page, service, variables };
}

const settingsOf = (paths: readonly string[], flags: DevFlags & { readonly env: string }, terminal: Terminal): Promise<Settings> =>
  commandSettings(
    {
      ...flags,
      besides: besides(paths, flags.env, terminal.cwd),
      ...ownState(paths, flags, terminal.cwd),
    },
    terminal.env,
  );

/** The environment, in which open channels are allowed: a developer gets a warning (PW690), and the service starts (spec/surfaces 3). */
const withOpenChannels = (env: Settings["env"]): Settings["env"] => ({
  ...env,
  PIPEWRIGHT_WS_PUBLIC_CHANNELS: env.PIPEWRIGHT_WS_PUBLIC_CHANNELS || "#",
});
