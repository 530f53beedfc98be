import { randomBytes } from "node:crypto";
import { Failure } from "../value/failure.ts";
import { type Checkpoint, maxListed, type NewRun, type RunsFilter, type Wait } from "./runs.ts";

/** The most bytes of the input and the outputs of one run together. */
export const maxRunBytes = 64 * 1_048_576;

/** Milliseconds for which another call with the same `dedupeKey` gets the first run. */
export const dedupeMs = 86_400_000;

/** The most bytes of a name: of configurations, interfaces, nodes, plans, keys and paths. */
const maxNameBytes = 2_000;

/** The number of runs that `prune` removes at once, which takes some tens of milliseconds. */
export const prunedAtOnce = 1_000;

/** Bytes that a probe writes: more than a store may have free in its pages. */
const probeBytes = 16_384;

/** The text of a probe, which is random so that no database can compress it. */
export const probeText = (): string => randomBytes((probeBytes * 3) / 4).toString("base64");

const refuse = (problem: string): never => {
  throw new Failure("state", problem);
};

/** Refuses names that a backend could not store as a key: a text of PostgreSQL holds neither NUL nor half of a surrogate pair. */
function checkName(what: string, name: string): void {
  if (Buffer.byteLength(name) > maxNameBytes) refuse(`${what} of a run is longer than ${maxNameBytes} bytes`);
  if (name.includes("\0") || !name.isWellFormed()) refuse(`${what} of a run holds a character that no store can keep`);
}

function checkText(what: string, text: string): void {
  if (text.includes("\0") || !text.isWellFormed()) refuse(`${what} of a run holds a character that no store can keep`);
}

/** Refuses a run that a backend could not store; gives the bytes of its input. */
export function checkNewRun({ id, config, interface: target, bundle, plan, input, seed, dedupeKey = "", lease }: NewRun): number {
  const names = { id, config, interface: target, bundle, plan, seed, dedupeKey, node: lease?.node ?? "" };
  for (const [what, name] of Object.entries(names)) checkName(what, name);
  checkText("input", input);
  return checkBytes(Buffer.byteLength(input));
}

/** Refuses checkpoints that a backend could not store; gives the bytes of the outputs. */
export function checkCheckpoints(points: readonly Checkpoint[], wait: Wait | undefined): number {
  checkPaths(points.map(({ path }) => path));
  for (const { output } of points) checkText("output", output);
  if (wait !== undefined) {
    checkName("path", wait.path);
    if (!/^[0-9a-f]{64}$/.test(wait.tokenHash)) refuse("a token of a run is stored as its SHA-256");
  }
  return checkBytes(points.reduce((sum, { output }) => sum + Buffer.byteLength(output), 0));
}

export function checkPaths(paths: readonly string[]): void {
  for (const path of paths) {
    // The input of a run is stored under the empty path.
    if (path === "") refuse("path of a run is empty");
    checkName("path", path);
  }
}

/** The first checkpoint of each path: a path keeps its first output, within one call as over several. */
export function firstOfPaths(points: readonly Checkpoint[]): Checkpoint[] {
  const paths = new Set<string>();
  return points.filter(({ path }) => paths.size < paths.add(path).size);
}

/** Gives the bytes of a run, or fails when they are too many. */
export function checkBytes(bytes: number): number {
  if (bytes > maxRunBytes) throw tooLarge();
  return bytes;
}

export const tooLarge = (): Failure => new Failure("state", `a run holds more than ${maxRunBytes} bytes`);

export function checkPayload(payload: string): void {
  checkText("payload", payload);
  checkBytes(Buffer.byteLength(payload));
}

/** The number of rows that a list gives. */
export const limitOf = ({ limit = 100 }: RunsFilter): number => Math.max(1, Math.min(maxListed, Math.floor(limit)));

/** A `dedupeKey` as it is stored: runs of different scopes never meet. */
export const keyOf = (scope: string, dedupeKey: string | undefined): string | null =>
  dedupeKey === undefined ? null : `${scope} ${dedupeKey}`;
