import { type FromFile, fromFile } from "../files/settings-file.ts";
import type { Capabilities, Capability } from "../plan/capabilities.ts";
import { isObject, type Json, type JsonObject, own } from "../value/json.ts";

/** Raised when readers of an older format would misread a manifest. */
export const manifestFormat = 3;

/** The part of a manifest that is enforced. */
export interface Manifest {
  readonly configs: readonly ManifestConfig[];
}

export interface ManifestConfig {
  readonly name: string;
  readonly capabilities: Capabilities;
  readonly interfaces: readonly ManifestInterface[];
}

export interface ManifestInterface {
  readonly name: string;
  readonly method?: string;
  readonly route?: string;
  /** The ways into it beside the route (runtime/enforce/ways.ts). */
  readonly reached_by: readonly string[];
  readonly capabilities: Capabilities;
}

/** Most bytes of the file of a manifest: enough for 10,000 interfaces. */
const mostBytes = 64 * 1024 * 1024;

/** Reads the file of a manifest. */
export const readManifestFile = (file: string): FromFile<Manifest | string> => fromFile(file, readManifest, mostBytes);

/** Reads the text of a manifest. A missing list is empty; the result is a sentence where the text is no manifest. */
export function readManifest(text: string): Manifest | string {
  const value = parsed(text);
  if (value === undefined || !isObject(value)) return "it is no manifest of a build";
  const { format = null, configs = null } = value;
  if (format !== manifestFormat)
    return `its format is ${JSON.stringify(format)}, expected ${manifestFormat}: build again with this version of pipewright`;
  return { configs: objects(configs).map(configOf) };
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json; // what JSON.parse gives is JSON
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

const configOf = (config: JsonObject): ManifestConfig => ({
  name: textOf(config, "name") ?? "",
  capabilities: capabilitiesOf(config),
  interfaces: objects(own(config, "interfaces")).map(interfaceOf),
});

function interfaceOf(target: JsonObject): ManifestInterface {
  const [method, route] = [textOf(target, "method"), textOf(target, "route")];
  return {
    name: textOf(target, "name") ?? "",
    ...(method === undefined ? {} : { method }),
    ...(route === undefined ? {} : { route }),
    reached_by: textsOf(target, "reached_by") ?? [],
    capabilities: capabilitiesOf(target),
  };
}

function capabilitiesOf(owner: JsonObject): Capabilities {
  const listed = own(owner, "capabilities") ?? null;
  if (!isObject(listed)) return {};
  return Object.fromEntries(Object.entries(listed).map(([kind, list]) => [kind, objects(list).map(capabilityOf)]));
}

function capabilityOf(one: JsonObject): Capability {
  const [of, from] = [textOf(one, "of"), textOf(one, "from")];
  const [verbs, within] = [textsOf(one, "verbs"), textsOf(one, "within")];
  return {
    name: textOf(one, "name") ?? "",
    ...(of === undefined ? {} : { of }),
    ...(verbs === undefined ? {} : { verbs }),
    ...(from === "service" || from === "request" ? { from } : {}),
    ...(within === undefined ? {} : { within }),
  };
}

const objects = (value: Json | undefined): readonly JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : []);

function textOf(owner: JsonObject, key: string): string | undefined {
  const value = own(owner, key);
  return typeof value === "string" ? value : undefined;
}

function textsOf(owner: JsonObject, key: string): readonly string[] | undefined {
  const value = own(owner, key);
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : undefined;
}
