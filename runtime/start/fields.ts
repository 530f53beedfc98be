import type { Host } from "../process/host.ts";
import type { Config, Interface, StartedConfig, StartedInterface } from "../run/interface.ts";
import { LiveRun } from "../run/live-run.ts";
import { bareRequest } from "../run/request.ts";
import type { Run } from "../run/run.ts";
import { Failure } from "../value/failure.ts";
import { isObject, type Json, type JsonObject, own } from "../value/json.ts";
import { fitted, problemOf, type StartField } from "./form.ts";

export type { StartField } from "./form.ts";

/** Configs whose fields have been read, and the problems of the fields, each with its place. */
export interface StartedConfigs {
  readonly configs: readonly Config[];
  readonly problems: readonly string[];
}

/**
 * Reads the fields that `env`, `var` and `ap_var` fill, once for the life of these configs. A config without such fields stays the same
 * object.
 */
export function startConfigs(host: Host, configs: readonly Config[]): StartedConfigs {
  const problems = new Set<string>();
  const started = configs.map((config) => {
    if (config.start === undefined && config.interfaces.every(({ start }) => start === undefined)) return config;
    const cx = new LiveRun(host, config, nobody, bareRequest(host, "start"));
    return startConfig(config, cx, fieldOf(config, problems, host));
  });
  return { configs: started, problems: [...problems].sort(byPlace) };
}

/** Sorts `config.yaml:9: …` before `config.yaml:10: …`, because users correct a file from its top. */
function byPlace(left: string, right: string): number {
  const [[file, line], [otherFile, otherLine]] = [placeIn(left), placeIn(right)];
  return file === otherFile ? line - otherLine : file < otherFile ? -1 : 1;
}

function placeIn(problem: string): readonly [file: string, line: number] {
  const [, file, line] = /^(.*?):(\d+): /.exec(problem) ?? [];
  return [file ?? "", Number(line ?? 0)];
}

const nobody: Interface = { name: "start", output: "none", run: () => undefined };

/** Reads a field. All problems are collected, each once, because several interfaces may read the same policy. */
const fieldOf =
  ({ name, places = {} }: Config, problems: Set<string>, { redactor }: Host): StartField =>
  (path, form, read) => {
    try {
      return fitted(form, read(), path);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      problems.add(`${own(places, path) ?? name}: ${redactor.text(problemOf(error))}`);
      return null;
    }
  };

function startConfig(config: Config, cx: Run, field: StartField): Config {
  const read = config.start?.(cx, field) ?? {};
  return { ...merged(config, read, switchesOfConfig), interfaces: config.interfaces.map((each) => startInterface(each, cx, field)) };
}

function startInterface(target: Interface, cx: Run, field: StartField): Interface {
  return target.start === undefined ? target : merged(target, target.start(cx, field), switchesOfInterface);
}

const switchesOfInterface: ReadonlySet<string> = new Set(["show_error_detail", "public", "mcp"] satisfies (keyof StartedInterface)[]);
const switchesOfConfig: ReadonlySet<string> = new Set(["metrics"] satisfies (keyof StartedConfig)[]);

/** Merges fields into a record. A switch that is off removes its field; any other field is replaced, or removed when it has no value. */
function merged<R extends object>(record: R, read: object, switches: ReadonlySet<string>): R {
  const out: Record<string, unknown> = Object.fromEntries(Object.entries(record));
  for (const [key, value] of Object.entries(read)) {
    if (switches.has(key)) {
      if (value !== true) delete out[key];
    } else if (value === undefined || value === null) delete out[key];
    else if (Array.isArray(value)) out[key] = value.map(withoutNulls);
    else out[key] = isPlain(value) && key !== "settings" ? withoutNulls(value) : value;
  }
  return out as R; // each field has the type of the record's field
}

/** True for plain JSON: such a record is merged, while a record with functions is replaced. */
const isPlain = (value: unknown): value is JsonObject =>
  isObject(value as Json) && Object.values(value as object).every((each) => typeof each !== "function"); // both facts are checked here

/** A field that is null counts as left out. */
const withoutNulls = (value: JsonObject): JsonObject => Object.fromEntries(Object.entries(value).filter(([, each]) => each !== null));
