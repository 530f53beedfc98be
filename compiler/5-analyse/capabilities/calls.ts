import type { CapabilityKind } from "#runtime/plan/capabilities.ts";
import type { Expr } from "#runtime/plan/index.ts";
import { isObject } from "#runtime/value/json.ts";
import type { Sources } from "../../4-plan/inference/provenance.ts";
import { isConfirmed } from "../confirms.ts";
import { touchedByAws, touchedBySes } from "./aws.ts";
import { touchedByGoogle } from "./google.ts";
import { hostsOf } from "./hosts.ts";
import { isUnset, itemsOf, member } from "./member.ts";
import { joined, type Name, nameOf, nameOfPart, nameOfText, namesOf, readable } from "./names.ts";
import type { Touched } from "./touched.ts";

type Toucher = (args: Expr, known: Sources, config: string) => readonly Touched[];

const all = (kind: CapabilityKind, names: readonly Name[]): readonly Touched[] => names.map((name) => ({ kind, ...name }));

/** The kinds of actions that reach outside. `delay` and `emit_metric` touch nothing; databases are asked by queries. */
const touchers: Readonly<Record<string, Toucher>> = {
  http: (args, known) => {
    const allowed = member(args, "allowed_hosts");
    const bounds = allowed.op === "lit" && allowed.value === null ? ["public"] : namesOf(allowed, known).map(({ name }) => readable(name));
    const bounded = (names: readonly Name[]): readonly Touched[] =>
      names.map((name) => ({ kind: "hosts", ...name, ...(name.from === undefined ? {} : { within: bounds }) }));
    return [
      ...bounded(hostsOf(member(args, "url"), known)),
      ...bounded(hostsOf(member(args, "proxy"), known)),
      ...bounded(namesOf(member(args, "pagination", "next_link_host"), known)),
      ...all("files", filesOf(member(args, "multipart"), known)),
    ];
  },
  command: (args, known) => commandsOf(args, known),
  ws_publish: (args, known) => all("channels", namesOf(member(args, "channels"), known)),
  mqtt_publish: (args, known) => all("topics", namesOf(member(args, "topics"), known)),
  email: (args, known) => mailOf(args, known),
  sftp: (args, known) => remoteFilesOf(args, known),
  aws: (args, known) => touchedByAws(args, known),
  google: (args, known) => touchedByGoogle(args, known),
  discover: (args, known) => [
    ...all("hosts", namesOf(member(args, "dns", "name"), known)),
    ...(isUnset(member(args, "kubernetes")) ? [] : all("hosts", [{ name: "a|env::KUBERNETES_SERVICE_HOST|" }])),
    ...(isUnset(member(args, "docker")) ? [] : engines(member(args, "docker", "socket"), known).flatMap(socketOf)),
  ],
  agent: (args, known, config) => agentOf(args, known, config),
  state: (args, known, config) => stateOf(args, known, config),
  only_new: (args, known, config) => keysOf(args, "seen", known, config),
};

/** The things outside that a call of an action touches. */
export function touchedBy(use: string, args: Expr, known: Sources, config: string): readonly Touched[] {
  const toucher = Object.hasOwn(touchers, use) ? touchers[use] : undefined;
  return toucher?.(args, known, config) ?? [];
}

/** Where engines listen, as the action says it. */
const engines = (given: Expr, known: Sources): readonly Name[] =>
  isUnset(given)
    ? [{ name: "/var/run/docker.sock" }]
    : namesOf(given, known).map((name) => ({ ...name, name: name.name.replace(/^unix:(?:\/\/)?(?=\/)/, "") }));

/** The address of an engine, or the file of its socket. A value that begins with a marker may be either. */
function socketOf(name: Name): readonly Touched[] {
  const file: Touched = { kind: "files", ...name };
  if (name.name.includes("://")) return [{ kind: "hosts", name: URL.parse(name.name.replace(/^tcp:/, "http:"))?.host ?? name.name }];
  return name.name.startsWith("a|") || name.name === "*" ? [file, { kind: "hosts", ...name }] : [file];
}

/** Files of the parts of a body. */
const filesOf = (multipart: Expr, known: Sources): readonly Name[] =>
  itemsOf(multipart).flatMap((part) => namesOf(member(part, "file_path"), known));

/** A script as the shell gets it, or the program of a list. */
function commandsOf(args: Expr, known: Sources): readonly Touched[] {
  const run = member(args, "run");
  const shell = namesOf(member(args, "shell"), known).map(({ name }) => name);
  const of = shell.length === 0 ? {} : { of: shell.join(" ") };
  if (run.op === "list" || (run.op === "lit" && Array.isArray(run.value)))
    return programOf(itemsOf(run).map((item) => nameOf(item, known)));
  const script = run.op === "map" || (run.op === "lit" && isObject(run.value)) ? member(run, "script") : run;
  return all("commands", namesOf(script, known)).map((one) => ({ ...one, ...of }));
}

const programOf = ([program]: readonly Name[]): readonly Touched[] =>
  program === undefined ? [] : [{ kind: "commands", ...program, of: "program" }];

function mailOf(args: Expr, known: Sources): readonly Touched[] {
  const rows = member(args, "rows");
  // A row may have its own sender and receivers.
  const ofRows: readonly Name[] = isUnset(rows) ? [] : [nameOf(rows, known)].map((name) => ({ ...name, name: "*" }));
  const receivers = ["to", "cc", "bcc"].flatMap((field) => namesOf(member(args, field), known));
  return [
    ...all("mail_servers", namesOf(member(args, "smtp", "server"), known)),
    ...(isUnset(member(args, "smtp")) ? touchedBySes(args, known) : []),
    ...all("mail_senders", [...namesOf(member(args, "from"), known), ...ofRows]),
    ...all("mail_recipients", [...receivers, ...ofRows]),
  ];
}

/** Where the companies behind the protocols answer; the runtime has the addresses. */
const models: Readonly<Record<string, string>> = { openai: "api.openai.com", anthropic: "api.anthropic.com" };

/**
 * The service of the model, the tools with their servers, and the conversation that it keeps. A tool that is an interface is listed by its
 * own touches.
 */
function agentOf(args: Expr, known: Sources, config: string): readonly Touched[] {
  const url = member(args, "model", "url");
  const { name: api } = nameOf(member(args, "model", "api"), known);
  const service = isUnset(url) ? [{ name: models[api] ?? "*" }] : hostsOf(url, known);
  const tools = itemsOf(member(args, "tools"));
  const memory = member(args, "memory");
  const keys = isUnset(memory) ? [] : ["get", "set"].flatMap((verb) => keysOf(memory, verb, known, config));
  return [...all("hosts", service), ...tools.flatMap((tool) => toolsIn(tool, known)), ...keys];
}

/** The interface or the tools that an entry lets the model call, and the one that tells somebody of a call. A star stands for any tool. */
function toolsIn(tool: Expr, known: Sources): readonly Touched[] {
  const asker = member(tool, "confirm", "interface");
  const verb = isConfirmed(tool) ? "confirm" : "call";
  const own = ownTools(tool, known).map((one) => (one.kind === "tools" ? { ...one, verb } : one));
  return [...own, ...(isUnset(asker) ? [] : all("tools", namesOf(asker, known)).map((one) => ({ ...one, verb: "tell" })))];
}

function ownTools(tool: Expr, known: Sources): readonly Touched[] {
  const target = member(tool, "interface");
  if (!isUnset(target)) return all("tools", namesOf(target, known));
  const hosts = hostsOf(member(tool, "mcp", "url"), known);
  const allowed = namesOf(member(tool, "allow"), known).map((name) => (readable(name.name) === "*" ? { name: "*" } : name));
  return [...all("hosts", hosts), ...hosts.flatMap(({ name: of }) => all("tools", allowed).map((one) => ({ ...one, of })))];
}

/** A host, with its port where it is not 22, and the paths on it with the operation. */
function remoteFilesOf(args: Expr, known: Sources): readonly Touched[] {
  const nameIn = (field: string): Name => nameOf(member(args, field), known);
  const [host, port, { name: verb }] = [nameIn("host"), nameIn("port"), nameIn("operation")];
  const address = port.name === "" || port.name === "22" ? host : joined([host, { name: ":" }, port]);
  const paths = ["path", "to"].flatMap((field) => namesOf(member(args, field), known));
  return [{ kind: "hosts", ...address }, ...all("files", paths).map((one) => ({ ...one, of: host.name, verb }))];
}

function stateOf(args: Expr, known: Sources, config: string): readonly Touched[] {
  const loads = namesOf(member(args, "load"), known).map(({ name }): Touched => stored(name, config));
  const operations = ["get", "set", "advance", "delete", "seen"].flatMap((verb) => {
    const operation = member(args, verb);
    return isUnset(operation) ? [] : keysOf(operation, verb, known, config);
  });
  return [...loads, ...operations];
}

function keysOf(operation: Expr, verb: string, known: Sources, config: string): readonly Touched[] {
  const namespace = member(operation, "namespace");
  const of = isUnset(namespace) ? config : nameOf(namespace, known).name;
  return all("state", namesOf(member(operation, "key"), known)).map((one) => ({ ...one, of, verb }));
}

/** A name that a marker of `state` reads: `key`, or `namespace.key`. */
export function stored(name: string, config: string): Touched {
  const dot = name.indexOf(".");
  return { kind: "state", name: nameOfText(dot < 0 ? name : name.slice(dot + 1)), of: dot < 0 ? config : name.slice(0, dot), verb: "get" };
}

/** The channel that a stream is forwarded to. */
export const channelOf = (stream: Expr, known: Sources): readonly Touched[] => {
  const channel = member(stream, "channel");
  return all("channels", channel.op === "text" ? [joined(channel.parts.map((part) => nameOfPart(part, known)))] : namesOf(channel, known));
};
