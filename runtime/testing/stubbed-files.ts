import { posix } from "node:path";
import type { Job } from "../features/actions/sftp/job.ts";
import { arranged, type Entry } from "../features/actions/sftp/listing.ts";
import type { SftpServers } from "../features/actions/sftp/servers.ts";
import { Failure } from "../value/failure.ts";
import type { Json } from "../value/json.ts";
import { type Effects, withoutEmpty } from "./effects.ts";
import type { Outside } from "./world.ts";

/**
 * SFTP servers with files in memory, which begin with the files of the test, by `HOST:/path`. Every login is accepted. With `outside`, a
 * missing file is made up when the run looks for it.
 */
export function stubbedSftp(given: Readonly<Record<string, Buffer>>, effects: Effects, outside?: Outside): SftpServers {
  const files = new Map(Object.entries(given));
  const places = new Set(files.keys());
  const look = (place: string): void => {
    const bytes = places.has(place) ? undefined : outside?.file(place);
    places.add(place);
    if (bytes !== undefined) files.set(place, bytes);
  };
  return {
    perform: async (act, { host, name = host }, job) => {
      effects.add({ sftp: `${job.operation} ${name}:${job.path}`, ...withoutEmpty(detailsOf(job)) });
      for (const path of soughtBy(job)) look(`${name}:${path}`);
      return done(job, `${name}:`, files, Math.floor(act.now / 1000));
    },
    close: () => undefined,
  };
}

/** The files that a job looks for; a folder gets a file whose name fits the pattern. */
function soughtBy(job: Job): readonly string[] {
  if (job.operation === "list") {
    const names = ["a", "b"].map((letter) => (job.options.glob ?? "*").replace(/[*?]/g, letter));
    return names.map((name) => posix.join(job.path, name));
  }
  return job.operation === "put" || job.operation === "mkdir" ? [] : [job.path];
}

/** The members of the effect beside the operation and its path. */
function detailsOf(job: Job): Readonly<Record<string, Json>> {
  if (job.operation === "rename") return { to: job.to };
  return job.operation === "put" ? { content: textOf(job.bytes) ?? { base64: job.bytes.toString("base64") } } : {};
}

const textOf = (bytes: Buffer): string | undefined => {
  const text = bytes.toString("utf8");
  return Buffer.from(text).equals(bytes) ? text : undefined;
};

function done(job: Job, host: string, files: Map<string, Buffer>, now: number): Json {
  const { operation, path } = job;
  const place = (at: string): string => `${host}${at}`;
  const bytesThere = (): Buffer => {
    const bytes = files.get(place(path));
    if (bytes === undefined) throw refusal(operation, "no such file");
    return bytes;
  };
  switch (job.operation) {
    case "list":
      return arranged(entriesOf(host, path, files, now), job.options);
    case "get": {
      const bytes = bytesThere();
      const content = job.encoding === "base64" ? bytes.toString("base64") : textOf(bytes);
      if (content === undefined) throw refusal(operation, "the file is no UTF-8 text; use encoding: base64");
      return { path, size: bytes.length, encoding: job.encoding, content };
    }
    case "put":
      files.set(place(path), job.bytes);
      return { path, size: job.bytes.length };
    case "rename": {
      const bytes = bytesThere();
      if (files.has(place(job.to))) throw refusal(operation, "Failure");
      files.delete(place(path));
      files.set(place(job.to), bytes);
      return { from: path, to: job.to, ok: true };
    }
    case "delete":
      bytesThere();
      files.delete(place(path));
      return { path, ok: true };
    case "mkdir":
      return { path, ok: true };
  }
}

/** The files and folders in a folder. A folder exists as long as it contains files. */
function entriesOf(host: string, folder: string, files: ReadonlyMap<string, Buffer>, modified: number): readonly Entry[] {
  const inside = `${host}${folder.endsWith("/") ? folder : `${folder}/`}`;
  const entries = new Map<string, Entry>();
  for (const [place, bytes] of files) {
    if (!place.startsWith(inside)) continue;
    const [name = "", ...below] = place.slice(inside.length).split("/");
    const is_dir = below.length > 0;
    entries.set(name, { name, path: posix.join(folder, name), size: is_dir ? 0 : bytes.length, is_dir, modified });
  }
  return [...entries.values()];
}

const refusal = (operation: string, reason: string): Failure => new Failure("transport", `sftp ${operation}: ${reason}`, { upstream: 502 });
