import type { FileEntryWithStats } from "ssh2";
import { Failure } from "../../../value/failure.ts";
import type { Json, JsonObject } from "../../../value/json.ts";
import { status, statusOf } from "./failures.ts";
import type { Order } from "./schema.ts";
import type { Session } from "./session.ts";

/** The most entries of one folder. */
const mostEntries = 100_000;

export interface ListOptions {
  readonly glob: string | null;
  readonly sort: Order;
  readonly limit: number | null;
}

export interface Entry {
  readonly name: string;
  readonly path: string;
  readonly size: number;
  readonly is_dir: boolean;
  /** Seconds since 1970. */
  readonly modified: number;
}

/** The entries of a folder without `.` and `..`. A server may send an empty batch at its end, or without end. */
export async function listed(session: Session, folder: string, options: ListOptions): Promise<Json> {
  const { ask, sftp } = session;
  const handle = await ask<Buffer>((done) => sftp.opendir(folder, done));
  const entries: Entry[] = [];
  try {
    for (let count = 0; ; ) {
      const batch = await ask<FileEntryWithStats[] | false>((done) => sftp.readdir(handle, done)).catch(endOfFolder);
      if (batch === false || batch.length === 0) break;
      count += batch.length;
      if (count > mostEntries)
        throw new Failure("transport", `sftp list: the folder has more than ${mostEntries} entries`, { upstream: 502 });
      for (const { filename, attrs } of batch) {
        if (filename === "." || filename === "..") continue;
        // Its path would lead out of the folder.
        if (/[/\0]/.test(filename)) throw new Failure("transport", "sftp list: an entry has a name that no file has", { upstream: 502 });
        const path = folder.endsWith("/") ? `${folder}${filename}` : `${folder}/${filename}`;
        entries.push({ name: filename, path, size: numberOf(attrs.size), is_dir: attrs.isDirectory(), modified: numberOf(attrs.mtime) });
      }
    }
  } finally {
    await ask<void>((done) => sftp.close(handle, done)).catch(() => undefined);
  }
  return arranged(entries, options);
}

/** A server may leave out what it does not know of a file, whatever the types of ssh2 say. */
const numberOf = (given: number | undefined): number => given ?? 0;

/** The entries that the action asks for, in its order. */
export function arranged(entries: readonly Entry[], { glob, sort, limit }: ListOptions): Json {
  const fitting = glob === null ? entries : entries.filter(({ name }) => matches(name, glob));
  return fitting
    .toSorted(comparers[sort])
    .slice(0, limit ?? fitting.length)
    .map((entry): JsonObject => ({ ...entry }));
}

function endOfFolder(error: unknown): false {
  if (statusOf(error) === status.eof) return false;
  throw error;
}

type Compare = (a: Entry, b: Entry) => number;

const byName: Compare = (a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);
const reversed =
  (compare: Compare): Compare =>
  (a, b) =>
    compare(b, a);

/** Entries of the same size or time are in the order of their names. */
const bySize: Compare = (a, b) => a.size - b.size || byName(a, b);
const byTime: Compare = (a, b) => a.modified - b.modified || byName(a, b);

const comparers: Readonly<Record<Order, Compare>> = {
  name: byName,
  size: bySize,
  modified: byTime,
  "-name": reversed(byName),
  "-size": reversed(bySize),
  "-modified": reversed(byTime),
};

/**
 * True when the name has the form of the glob: `*` stands for any characters, `?` for one. The last star is tried again further on, and no
 * star before it, so that the time is at most the product of both lengths.
 */
export function matches(name: string, glob: string): boolean {
  const [text, form] = [[...name], [...glob]];
  let [at, of] = [0, 0];
  let star: { readonly of: number; readonly at: number } | undefined;
  while (at < text.length) {
    if (form[of] === "*") {
      star = { of, at };
      of += 1;
    } else if (form[of] === "?" || form[of] === text[at]) {
      at += 1;
      of += 1;
    } else if (star !== undefined) {
      star = { of: star.of, at: star.at + 1 };
      at = star.at;
      of = star.of + 1;
    } else return false;
  }
  while (form[of] === "*") of += 1;
  return of === form.length;
}
