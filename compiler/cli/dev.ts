import { readPipes, readSettings, type Settings } from "#runtime/process/settings/options.ts";
import type { Config } from "#runtime/run/interface.ts";
import { put } from "#runtime/value/json.ts";
import { findConfigs } from "../1-read/files.ts";
import { linkedPackage } from "../7-link/linked.ts";
import { type Live, loadLive } from "../7-link/live.ts";
import { consoleParts } from "../console/page.ts";
import { LastLook } from "../memory.ts";
import type { Answers } from "./dev/answers.ts";
import { changedModules } from "./dev/changed-modules.ts";
import { followChanges, type IsQuiet } from "./dev/changes.ts";
import { listenToKeys } from "./dev/keys.ts";
import { LateTests } from "./dev/late-tests.ts";
import { readableLog } from "./dev/log.ts";
import { once } from "./dev/once.ts";
import { DevPage, type DevRoute } from "./dev/page.ts";
import { freePort } from "./dev/port.ts";
import { type Attempt, attempt, type Compiled, isSameVersion } from "./dev/project.ts";
import { routeTable, sayingRequests } from "./dev/requests.ts";
import { youngCollector } from "./dev/young-collector.ts";
import { openInspector } from "./inspector.ts";
import { askedEnvironment, besides, type Terminal } from "./project.ts";
import type { ServeFlags } from "./serve.ts";
import { ownState } from "./state-file.ts";
import { status } from "./status.ts";

/** A project that is being written has no manifest that was reviewed. */
type DevFlags = Omit<ServeFlags, "enforceManifest">;

/** Serves on this machine alone, and whatever is saved at once; what does not compile leaves the last good version in place. */
export async function dev(paths: readonly string[], flags: DevFlags, terminal: Terminal): Promise<number> {
  openInspector(flags.inspect);
  const environment = askedEnvironment(flags, terminal) ?? "development";
  // A path that is missing from the start is misspelt; later one may come and go.
  findConfigs(paths, terminal.cwd);
  const piped = await readPipes(flags.vars);
  const read = (): Promise<Settings> => settingsOf(paths, { ...flags, env: environment, piped }, terminal);
  const settings = await read();
  const live = await loadLive(terminal.cwd);
  const parts = await consoleParts();
  const page = await DevPage.open(live, linkedPackage().folder, parts);
  const shown = live.consoles().adminConsole(parts, page.facts);
  // One object, since runs read it: its content changes with the files.
  const variables = { ...settings.variables };
  const env = withOpenChannels(settings.env);
  const log = terminal.isTerminal ? { log: readableLog(terminal, settings.logLevel) } : {};
  const beside = terminal.isTerminal ? sayingRequests(page.beside, terminal) : page.beside;
  const port = await freePort(settings.address, settings.port);
  if (port !== settings.port) terminal.err(`port ${settings.port} is taken: ${port} is used\n`);
  const service = await live.serve([], { ...settings, port, env, variables, beside, shown, announces: false, ...log });
  await using tests = new LateTests(paths, flags.env === undefined ? {} : { env: flags.env }, terminal);
  page.reveal({ watched: service.watched, tests });
  const ends = new AbortController();
  const project = new Project(live, service, page, terminal);
  const memory = new LastLook();
  let included: readonly string[] = [];
  let isFirst = true;
  const tryOnce = async (): Promise<Attempt> => {
    const trial = await attempt(paths, { ...flags, environment, memory }, terminal);
    included = trial.included;
    return trial;
  };
  const lookOnce = async (isQuiet: IsQuiet): Promise<void> => {
    let trial = await tryOnce();
    while (!(await isQuiet())) trial = await tryOnce();
    if (!isFirst) exchange(variables, (await read()).variables);
    await project.take(trial, variables);
    if (isFirst) service.announce();
    isFirst = false;
    // Behind the answer to the save, and before somebody saves again.
    setImmediate(collectYoung);
  };
  const collectYoung = youngCollector();
  let looks = Promise.resolve();
  // A key may ask while the files have changed: one look after the other.
  const look = (isQuiet: IsQuiet): Promise<void> => {
    looks = looks.then(() => lookOnce(isQuiet));
    return looks;
  };
  const quit = Promise.withResolvers<void>();
  const reload = async (): Promise<void> => {
    await look(async () => true);
    terminal.err("looked at all files again\n");
  };
  const test = async (): Promise<void> => {
    const { testBeside } = await import("./test.ts");
    await testBeside(paths, { format: "text", quiet: true, ...(flags.env === undefined ? {} : { env: flags.env }) }, terminal);
  };
  const release = listenToKeys({ reload, url: service.url, quit: quit.resolve, test, routes: () => project.sayRoutes() }, terminal);
  const watched = {
    paths,
    cwd: terminal.cwd,
    environment,
    others: () => [...included, ...(flags.vars ?? []).filter((file) => !piped.has(file))],
  };
  const following = followChanges(watched, look, ends.signal);
  await Promise.race([live.stopped(process), following, quit.promise]);
  release();
  ends.abort();
  await following;
  return (await service.close()) ? status.done : status.failed;
}

const settingsOf = (paths: readonly string[], flags: DevFlags & { readonly env: string }, terminal: Terminal): Promise<Settings> =>
  readSettings(
    {
      ...flags,
      besides: besides(paths, flags.env, terminal.cwd),
      ...ownState(paths, flags, terminal.cwd),
    },
    terminal.env,
  );

/** A developer is warned of open channels (PW690), and served all the same (spec/surfaces 3). */
const withOpenChannels = (env: Settings["env"]): Settings["env"] => ({
  ...env,
  PIPEWRIGHT_WS_PUBLIC_CHANNELS: env.PIPEWRIGHT_WS_PUBLIC_CHANNELS || "#",
});

function exchange(variables: Record<string, Settings["variables"][string]>, now: Settings["variables"]): void {
  for (const name of Object.keys(variables)) delete variables[name];
  for (const [name, value] of Object.entries(now)) put(variables as never, name, value as never); // a map like any other
}

type Served = Awaited<ReturnType<Live["serve"]>>;

/** The version that is served, and what is said of newer ones. */
class Project {
  readonly #live: Live;
  readonly #served: Served;
  readonly #page: DevPage;
  readonly #terminal: Terminal;
  /** The variables of the version that is served. */
  #variables = "";
  #compiled: Attempt["compiled"];
  #text = "";
  #version = 0;
  #routes: readonly DevRoute[] = [];

  constructor(live: Live, service: Served, page: DevPage, terminal: Terminal) {
    this.#live = live;
    this.#served = service;
    this.#page = page;
    this.#terminal = terminal;
  }

  /** Serves what has been compiled; says what is wrong, each time it is something else. */
  async take({ compiled, text, diagnostics, fix }: Attempt, variables: Settings["variables"]): Promise<void> {
    const read = compiled === undefined ? "" : variablesRead(compiled, variables);
    const isNew = compiled !== undefined && !(this.#compiled && isSameVersion(compiled, this.#compiled) && read === this.#variables);
    const unmet = isNew ? await this.#serve(compiled, read) : [];
    const needs = unmet.map((need) => `cannot be served: ${need}\n`).join("");
    const isBroken = compiled === undefined || unmet.length > 0;
    const message = `${text}${needs}`;
    this.#page.reveal({ fix, ...(this.#compiled && { facts: this.#compiled.facts }) });
    this.#page.show({ version: this.#version, isBroken, diagnostics, unmet, routes: this.#routes });
    if (message !== this.#text) {
      if (message !== "") this.#terminal.err(`${message}${isBroken ? this.#keeps() : ""}`);
      else if (this.#text !== "" && compiled !== undefined) this.#terminal.err("nothing is wrong any more\n");
    }
    this.#text = message;
  }

  async #serve(compiled: Compiled, variables: string): Promise<readonly string[]> {
    const began = performance.now();
    const { configs, docs } = await this.#live.evaluate(compiled.modules, compiled.docs);
    const unmet = await this.#served.replace(
      configs.map((config) => detailed(config, compiled.answers)),
      docs,
    );
    if (unmet.length > 0) return unmet;
    this.#variables = variables;
    const before = this.#compiled;
    if (before !== undefined) this.#page.reveal({ changes: once(() => changedModules(before, compiled)) });
    this.#compiled = compiled;
    this.#version += 1;
    this.#routes = configs.flatMap(routesOf).map((route) => {
      const at = compiled.placeOf(route.config, route.interface);
      return at === undefined ? route : { ...route, at };
    });
    const ms = Math.round(performance.now() - began);
    if (this.#version === 1) this.sayRoutes();
    this.#served.host.log("info", "loaded", { version: this.#version, configs: configs.map(({ name }) => name), ms });
    return [];
  }

  /** Shows the routes to whoever sits at the terminal. */
  sayRoutes(): void {
    if (this.#terminal.isTerminal) this.#terminal.out(routeTable(this.#routes, this.#terminal));
  }

  #keeps(): string {
    return this.#version === 0 ? "nothing is served until this is mended\n" : `version ${this.#version} is served until this is mended\n`;
  }
}

/** The variables, where fields are read at the start: another value makes another version. */
function variablesRead({ modules }: Compiled, variables: Settings["variables"]): string {
  const reads = modules.some(({ places = {} }) => Object.keys(places).length > 0);
  return reads ? JSON.stringify(variables) : "";
}

/** The requests that a configuration answers. */
const routesOf = ({ name, interfaces }: Config): readonly DevRoute[] =>
  interfaces.flatMap(({ name: target, http }) =>
    http === undefined ? [] : [{ method: http.method, path: `/${http.route.replace(/^\//, "")}`, interface: target, config: name }],
  );

/** A developer sees why something has failed (spec/surfaces 16), and which answer is not what `produces` says. */
const detailed = (config: Config, answers: Answers): Config => ({
  ...config,
  interfaces: config.interfaces.map(({ start, ...target }) => ({
    ...target,
    ...answers(config.name, target.name),
    show_error_detail: true,
    ...(start === undefined ? {} : { start: (cx, field) => ({ ...start(cx, field), show_error_detail: true }) }),
  })),
});
