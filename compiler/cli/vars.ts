import { existsSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { type Document, isMap, isScalar } from "yaml";
import { readInputSync, readRegularSync } from "#runtime/files/regular-file.ts";
import {
  baseSlot,
  dataKeyName,
  isSealed,
  newDataKey,
  type Owner,
  openDataKey,
  openValue,
  sealValue,
  wrapDataKey,
} from "#runtime/keys/envelope.ts";
import { readVariables, type VariableFile } from "#runtime/keys/variables.ts";
import { readMasterKey } from "#runtime/process/settings/options.ts";
import { UsageError } from "#runtime/process/settings/usage-error.ts";
import type { Json } from "#runtime/value/json.ts";
import { messageOf } from "#runtime/value/thrown.ts";
import { visible, visibleLine } from "#runtime/value/visible.ts";
import { isInexact } from "../1-read/inexact.ts";
import { nearest } from "../diagnostics/nearest.ts";
import { setScalar } from "../editable-yaml.ts";
import { refuseEnvironment, refuseUnknownEnvironment, type Terminal } from "./project.ts";
import { status } from "./status.ts";
import { editVariables } from "./variable-file.ts";

export interface VarsFlags {
  readonly env: string;
  /** The folder of the configurations, which has the folder `vars/`. */
  readonly dir: string;
  readonly masterKeyFile?: string;
}

/** The error of a missing or wrong key, which the user of the command has to set: status 78. */
class KeyProblem extends Error {
  override readonly name = "Unmet";
}

/** Lists the variables of an environment, its own and the common ones, without their values: no value is decrypted. */
export async function listVariables(flags: VarsFlags & { readonly format: "text" | "json" }, terminal: Terminal): Promise<number> {
  refuseEnvironment(flags.env);
  if (flags.env !== baseSlot) refuseUnknownEnvironment(flags.env, [flags.dir], terminal.cwd);
  const files = await Promise.all(slotsOf(flags.env).map((slot) => read(slot, flags, terminal)));
  const variables = new Map<string, { readonly name: string; readonly kind: "plain" | "sealed"; readonly from: string }>();
  for (const [i, { values }] of files.entries()) {
    for (const [name, value] of Object.entries(values))
      variables.set(name, { name, kind: isSealed(value) ? "sealed" : "plain", from: slotsOf(flags.env)[i] ?? "" });
  }
  const rows = [...variables.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  if (flags.format === "json") terminal.out(visible(`${JSON.stringify({ variables: rows }, null, 2)}\n`));
  else {
    const names = rows.map(({ name }) => visibleLine(name));
    const width = Math.max(0, ...names.map((name) => name.length));
    terminal.out(rows.map(({ kind, from }, i) => `${names[i]?.padEnd(width)}  ${kind === "plain" ? "plain " : kind}  ${from}\n`).join(""));
  }
  return status.done;
}

/** Prints one value: a text as it is, anything else as JSON. A sealed value is printed only with `reveal`. */
export async function getVariable(name: string, flags: VarsFlags & { readonly reveal?: boolean }, terminal: Terminal): Promise<number> {
  for (const slot of slotsOf(flags.env).toReversed()) {
    const { values, dataKey, file } = await read(slot, flags, terminal);
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (value === undefined) continue;
    if (isSealed(value) && flags.reveal !== true) {
      terminal.err(`pipewright: ${name} is sealed; say --reveal to print it\n`);
      return status.failed;
    }
    const plain = isSealed(value) ? openValue(name, value, keyOf(dataKey, slot, file, flags, terminal), owner(slot, terminal)) : value;
    if (plain === undefined)
      throw new KeyProblem(`${name} in ${file} cannot be opened: it was altered, or sealed for another name or environment`);
    terminal.out(`${typeof plain === "string" ? plain : JSON.stringify(plain)}\n`);
    return status.done;
  }
  terminal.err(`pipewright: ${visibleLine(name)} is not set for ${flags.env}\n`);
  return status.failed;
}

export interface SetFlags extends VarsFlags {
  readonly seal?: boolean;
  readonly plain?: boolean;
  readonly json?: boolean;
}

/** Sets one value. The value is sealed if the name begins with `ENCRYPTED_` or the old value was sealed, unless `plain` is set. */
export async function setVariable(name: string, argument: string, flags: SetFlags, terminal: Terminal): Promise<number> {
  if (!/^[A-Za-z_][A-Za-z0-9_-]{0,199}$/.test(name))
    throw new UsageError(`'${name}' is no name of a variable: letters, digits, _ and -, not a digit first`);
  if (name === dataKeyName) throw new UsageError(`'${name}' keeps the data key`);
  if (flags.seal === true && flags.plain === true) throw new UsageError("--seal and --plain exclude each other");
  const value = givenValue(argument, flags.json === true, terminal);
  const { file } = await read(flags.env, flags, terminal);
  const own = owner(flags.env, terminal);
  let seals = false;
  editVariables(resolve(terminal.cwd, file), (document, { values, dataKey }) => {
    seals = flags.plain !== true && (flags.seal === true || name.startsWith("ENCRYPTED_") || isSealed(values[name]));
    if (!seals) {
      setScalar(document, name, typeof value === "object" ? document.createNode(value) : value);
      return;
    }
    const key = keyOf(dataKey, flags.env, file, flags, terminal);
    if (dataKey === undefined) document.set(dataKeyName, wrapDataKey(key, masterOf(flags, terminal), own));
    document.set(name, document.createNode(sealValue(name, value, key, own), { flow: true }));
  });
  terminal.err(`${file}: ${name} set${seals ? ", sealed" : ""}\n`);
  if (name.startsWith("ENCRYPTED_") && !seals) terminal.err(`pipewright: warning: ${name} is called encrypted and is not sealed\n`);
  await noteOther(name, flags, terminal);
  return status.done;
}

export async function removeVariable(name: string, flags: VarsFlags, terminal: Terminal): Promise<number> {
  const { values, file } = await read(flags.env, flags, terminal);
  if (!Object.hasOwn(values, name)) {
    const guess = nearest(name, Object.keys(values));
    terminal.err(visible(`pipewright: ${name} is not set in ${file}${guess === undefined ? "" : `; did you mean ${guess}?`}\n`));
    return status.failed;
  }
  editVariables(resolve(terminal.cwd, file), (document) => removeFrom(document, name));
  terminal.err(`${file}: ${name} removed\n`);
  await noteOther(name, flags, terminal);
  return status.done;
}

/** The comment above the first variable may be about the whole file, and stays. */
function removeFrom(document: Document, name: string): void {
  const first = isMap(document.contents) ? document.contents.items[0]?.key : undefined;
  if (isScalar(first) && first.value === name && first.commentBefore) document.commentBefore = first.commentBefore;
  document.delete(name);
}

/** Seals the data key of an environment with a new master key; the values stay as they are (spec/surfaces 11). */
export async function rotateKey(flags: VarsFlags & { readonly newMasterKeyFile?: string }, terminal: Terminal): Promise<number> {
  const { file, dataKey: oldKey } = await read(flags.env, flags, terminal);
  if (oldKey === undefined) {
    terminal.err(`pipewright: ${file} has no sealed values\n`);
    return status.failed;
  }
  const next = readMasterKey(flags.newMasterKeyFile, terminal.env, "PIPEWRIGHT_NEW_MASTER_KEY", "--new-master-key-file");
  if (next === undefined) throw new UsageError("give the new key with --new-master-key-file or PIPEWRIGHT_NEW_MASTER_KEY");
  if ("problem" in next) throw new KeyProblem(next.problem);
  editVariables(resolve(terminal.cwd, file), (document, { dataKey }) => {
    const key = keyOf(dataKey, flags.env, file, flags, terminal);
    document.set(dataKeyName, wrapDataKey(key, next.value, owner(flags.env, terminal)));
  });
  terminal.err(`${file}: the data key is sealed with the new master key\n`);
  return status.done;
}

/** The files with values of an environment, the nearest last. */
const slotsOf = (environment: string): readonly string[] => (environment === baseSlot ? [baseSlot] : [baseSlot, environment]);

const owner = (slot: string, { env }: Terminal): Owner => ({ organisation: env.PIPEWRIGHT_ORG || "local", slot });

const fileOf = (slot: string, { dir }: VarsFlags): string => join(dir, "vars", `${slot}.yaml`);

async function read(slot: string, flags: VarsFlags, { cwd }: Terminal): Promise<VariableFile> {
  refuseEnvironment(slot);
  const file = fileOf(slot, flags);
  const path = resolve(cwd, file);
  if (!existsSync(path)) return { file, values: {} };
  const content = await readVariables(path);
  if ("problem" in content) throw new UsageError(content.problem.replace(path, relative(cwd, path)));
  return { ...content.value, file };
}

function masterOf({ masterKeyFile }: VarsFlags, { env }: Terminal): Uint8Array {
  const key = readMasterKey(masterKeyFile, env);
  if (key === undefined)
    throw new KeyProblem("no master key: set PIPEWRIGHT_MASTER_KEY or say --master-key-file; openssl rand -base64 32 makes one");
  if ("problem" in key) throw new KeyProblem(key.problem);
  return key.value;
}

/** The data key of a file; a new one when it has none. */
function keyOf(dataKey: string | undefined, slot: string, file: string, flags: VarsFlags, terminal: Terminal): Uint8Array {
  const master = masterOf(flags, terminal);
  const key = dataKey === undefined ? newDataKey() : openDataKey(dataKey, master, owner(slot, terminal));
  if (key === undefined)
    throw new KeyProblem(`the master key does not open ${file}: it is another key, or PIPEWRIGHT_ORG is another organisation`);
  return key;
}

/**
 * The value of the argument: the text itself, the content of a file for `@file`, or standard input for `-`. The last line break of a file
 * or of the input does not count.
 */
function givenValue(argument: string, isJson: boolean, { cwd }: Terminal): Json {
  const text = argument === "-" || argument.startsWith("@") ? contentOf(argument, cwd) : argument;
  return isJson ? givenJson(text) : text;
}

function givenJson(text: string): Json {
  let value: Json;
  try {
    value = JSON.parse(text) as Json; // JSON.parse gives JSON
  } catch {
    // The message of the parser is not shown, because it quotes the text.
    throw new UsageError("the value is not valid JSON");
  }
  // Outside of its strings, JSON has digits only in numbers.
  const numbers = text.replace(/"(?:[^"\\]|\\.)*"/g, " ").match(/-?\d[\d.eE+-]*/g) ?? [];
  if (numbers.some(isInexact)) throw new UsageError("a number of the value is not exactly representable; quote it");
  return value;
}

/** The most bytes of a value from standard input. */
const mostInput = 1024 * 1024;
/** The most bytes of a file with a value, the same as of a file of variables. */
const mostBytes = 5 * 1024 * 1024;

function contentOf(argument: string, cwd: string): string {
  try {
    const text = (argument === "-" ? readInputSync(mostInput) : readRegularSync(resolve(cwd, argument.slice(1)), mostBytes)).toString(
      "utf8",
    );
    return text.replace(/\r?\n$/, "");
  } catch (error) {
    throw new UsageError(`${argument === "-" ? "standard input" : argument} cannot be read: ${messageOf(error)}`);
  }
}

/** Notes that a variable must be set for both staging and production or for neither (spec/surfaces 11). */
async function noteOther(name: string, flags: VarsFlags, terminal: Terminal): Promise<void> {
  const pair = ["staging", "production"];
  const other = pair.find((each) => each !== flags.env);
  if (!pair.includes(flags.env) || other === undefined || !existsSync(resolve(terminal.cwd, fileOf(other, flags)))) return;
  const [here, there, base] = await Promise.all([flags.env, other, baseSlot].map((slot) => read(slot, flags, terminal)));
  const isSet = (file: VariableFile | undefined): boolean => file !== undefined && Object.hasOwn(file.values, name);
  if (isSet(here) !== isSet(there) && !isSet(base))
    terminal.err(
      `pipewright: note: ${name} is set for ${isSet(here) ? flags.env : other} and not for ${isSet(here) ? other : flags.env}\n`,
    );
}
