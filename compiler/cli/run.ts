import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Json, JsonObject } from "#runtime/json.ts";
import { createLog } from "#runtime/lib/log.ts";
import { type Flags, readSettings, UsageError } from "#runtime/lib/options.ts";
import { load } from "../6-link/load.ts";
import { nearest } from "../diagnostics/nearest.ts";
import { printAll } from "../pipeline.ts";
import { failed, planProject, status, type Terminal } from "./project.ts";
import { besides } from "./serve.ts";

export interface RunFlags extends Flags {
  readonly body?: string;
  readonly param?: readonly string[];
  readonly header?: readonly string[];
  readonly raw?: boolean;
}

/** One run of an interface: its answer on stdout, logs on stderr; 0 when the status is below 400. */
export async function run(name: string, paths: readonly string[], flags: RunFlags, terminal: Terminal): Promise<number> {
  const text = bodyText(flags.body, terminal.cwd);
  const params = pairs(flags.param ?? [], "--param");
  const headers = pairs(flags.header ?? [], "--header");
  const planned = planProject(paths, terminal);
  if (failed(planned, terminal)) return status.failed;
  const environment = flags.env ?? (terminal.env.PIPEWRIGHT_ENV || "production");
  const settings = await readSettings(
    { ...flags, env: environment, vars: [...besides(paths, environment, terminal.cwd), ...(flags.vars ?? [])] },
    terminal.env,
  );
  const { configs, createHost, Run, reply } = await load(await printAll(planned), terminal.cwd);
  const found = configs.flatMap((config) =>
    config.interfaces.filter((each) => each.name === name).map((target) => ({ config, target })),
  )[0];
  if (found === undefined) {
    const close = nearest(
      name,
      configs.flatMap((config) => config.interfaces.map((each) => each.name)),
    );
    throw new UsageError(`no interface '${name}'${close === undefined ? "" : `; did you mean '${close}'?`}`);
  }
  const host = createHost({ ...settings, log: createLog({ fd: 2, level: settings.logLevel }) });
  const request = {
    id: host.uuid(),
    trigger: "cli",
    method: null,
    path: null,
    body: parsed(text),
    raw_body: text ?? null,
    params,
    headers,
    ip: {},
  };
  const current = new Run(host, found.config, found.target, request);
  found.target.run(current);
  await current.finish();
  const answer = reply(current);
  await host.close();
  const shown = flags.raw === true || !answer.headers["content-type"]?.includes("json") ? answer.body : pretty(answer.body);
  terminal.out(shown.endsWith("\n") ? shown : `${shown}\n`);
  return answer.status < 400 ? status.done : status.failed;
}

function bodyText(body: string | undefined, cwd: string): string | undefined {
  if (body === "-") return readFileSync(0, "utf8");
  return body?.startsWith("@") ? readFileSync(resolve(cwd, body.slice(1)), "utf8") : body;
}

/** JSON if it parses, else the text (surfaces.md 1, no content type). */
function parsed(text: string | undefined): Json {
  if (text === undefined || text === "") return null;
  try {
    return JSON.parse(text) as Json; // what JSON.parse gives is JSON
  } catch {
    return text;
  }
}

const pretty = (text: string): string => (text === "" ? "" : JSON.stringify(JSON.parse(text), null, 2));

function pairs(list: readonly string[], flag: string): JsonObject {
  return Object.fromEntries(
    list.map((pair) => {
      const at = pair.indexOf("=");
      if (at < 1) throw new UsageError(`${flag} takes name=value, not '${pair}'`);
      return [flag === "--header" ? pair.slice(0, at).toLowerCase() : pair.slice(0, at), pair.slice(at + 1)];
    }),
  );
}
