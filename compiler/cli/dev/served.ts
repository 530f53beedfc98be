import type { Settings } from "#runtime/process/settings/options.ts";
import type { Config } from "#runtime/run/interface.ts";
import type { Live } from "../../7-link/live.ts";
import type { Terminal } from "../project.ts";
import type { Answers } from "./answers.ts";
import { changedModules } from "./changed-modules.ts";
import { once } from "./once.ts";
import type { DevPage, DevRoute } from "./page.ts";
import { type Compiled, isSameVersion, type Look } from "./project.ts";
import { routeTable } from "./requests.ts";

type Served = Awaited<ReturnType<Live["serve"]>>;

/** The served version of the project, and the messages about newer versions. */
export class ServedProject {
  readonly #live: Live;
  readonly #served: Served;
  readonly #page: DevPage;
  readonly #terminal: Terminal;
  /** The variables of the served version, as JSON. */
  #variables = "";
  #compiled: Look["compiled"];
  #text = "";
  #version = 0;
  #routes: readonly DevRoute[] = [];

  constructor(live: Live, service: Served, page: DevPage, terminal: Terminal) {
    this.#live = live;
    this.#served = service;
    this.#page = page;
    this.#terminal = terminal;
  }

  /** Serves a project if it could be compiled, and shows its mistakes whenever they change. */
  async take({ compiled, text, diagnostics, fix }: Look, variables: Settings["variables"]): Promise<void> {
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

  /** Shows the routes to the user at the terminal. */
  sayRoutes(): void {
    if (this.#terminal.isTerminal) this.#terminal.out(routeTable(this.#routes, this.#terminal));
  }

  #keeps(): string {
    return this.#version === 0 ? "nothing is served until this is mended\n" : `version ${this.#version} is served until this is mended\n`;
  }
}

/** The variables as JSON, if fields are read at the start: then a changed value needs a new version. Else an empty text. */
function variablesRead({ modules }: Compiled, variables: Settings["variables"]): string {
  const reads = modules.some(({ places = {} }) => Object.keys(places).length > 0);
  return reads ? JSON.stringify(variables) : "";
}

/** The requests that a configuration answers. */
const routesOf = ({ name, interfaces }: Config): readonly DevRoute[] =>
  interfaces.flatMap(({ name: target, http }) =>
    http === undefined ? [] : [{ method: http.method, path: `/${http.route.replace(/^\//, "")}`, interface: target, config: name }],
  );

/** The configuration for a developer, whose answers have the details of failures (spec/surfaces 16), and are compared with `produces`. */
const detailed = (config: Config, answers: Answers): Config => ({
  ...config,
  interfaces: config.interfaces.map(({ start, ...target }) => ({
    ...target,
    ...answers(config.name, target.name),
    show_error_detail: true,
    ...(start === undefined ? {} : { start: (cx, field) => ({ ...start(cx, field), show_error_detail: true }) }),
  })),
});
