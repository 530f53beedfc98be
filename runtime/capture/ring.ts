import { join } from "node:path";
import { asObject, isObject, type Json, type JsonObject } from "../value/json.ts";
import { linesOf } from "./lines.ts";
import { alone, privateFile, privateFolder, readFlags, replaceFile } from "./private-files.ts";
import type { CapturedRun, Entry, History, RunFilter, RunPage, WindowKey, WindowState } from "./recording.ts";
import { RingFile, ringRuns } from "./ring-file.ts";
import { fits, type Owner, summaryOf } from "./rows.ts";

/** The most bounded captures that are remembered. */
const mostWindows = 1_000;

/** A line of the file. */
interface RingLine {
  readonly seq: number;
  readonly at: number;
  readonly run: CapturedRun;
}

/** Runs of a node without a database, in files that only its user reads (spec/surfaces 16). */
export class RingHistory implements History {
  readonly #folder: string;
  readonly #runs: string;
  readonly #windows: string;
  readonly #file: RingFile;

  constructor(folder: string, { organisation, environment }: Owner) {
    const name = `${encodeURIComponent(organisation).slice(0, 100)}-${environment}`;
    this.#folder = folder;
    this.#runs = join(folder, `runs-${name}.ndjson`);
    this.#windows = join(folder, `captures-${name}.json`);
    this.#file = new RingFile(this.#runs);
  }

  write(entries: readonly Entry[]): Promise<void> {
    return this.#file.append(entries);
  }

  prune(now: number): Promise<void> {
    return this.#file.prune(now);
  }

  async count({ config, interface: target, bundle }: WindowKey, runs: number, now: number): Promise<WindowState> {
    await privateFolder(this.#folder);
    return alone(this.#windows, async () => {
      const windows = await this.#readWindows();
      const key = JSON.stringify([config, target, bundle]);
      const window = windows.get(key) ?? { started: now, runs: 0 };
      // The window that was used last becomes the last entry.
      windows.delete(key);
      windows.set(key, { started: window.started, runs: window.runs + runs });
      const newest = [...windows].slice(-mostWindows);
      await replaceFile(this.#windows, (file) => file.writeFile(JSON.stringify(Object.fromEntries(newest))));
      return { started: window.started, before: window.runs };
    });
  }

  list(filter: RunFilter, limit: number, cursor?: number): Promise<RunPage> {
    return this.#page((run) => summaryOf({ ...run, started: Date.parse(run.started) }), filter, limit, cursor);
  }

  records(filter: RunFilter, limit: number, cursor?: number): Promise<RunPage<CapturedRun>> {
    return this.#page((run) => run, filter, limit, cursor);
  }

  /** Holds only the runs of one page in memory, because records may be large. */
  async #page<R>(view: (run: CapturedRun) => R, filter: RunFilter, limit: number, cursor = Number.MAX_SAFE_INTEGER): Promise<RunPage<R>> {
    const newest: { readonly seq: number; readonly line: number; readonly run: R }[] = [];
    let lines = 0;
    for await (const { seq, at, run } of this.#lines()) {
      lines += 1;
      if (seq >= cursor || !fits(filter, { ...run, at })) continue;
      newest.push({ seq, line: lines, run: view(run) });
      if (newest.length > limit + 1) newest.shift();
    }
    // The file may hold more runs than it should, until it is written anew.
    const matches = newest.filter(({ line }) => line > lines - ringRuns);
    const page = matches.slice(-limit).reverse();
    return { runs: page.map(({ run }) => run), next: matches.length > limit ? (page.at(-1)?.seq ?? null) : null };
  }

  async find(id: string): Promise<CapturedRun | undefined> {
    let newest: CapturedRun | undefined;
    for await (const { run } of this.#lines()) if (run.run_uuid === id) newest = run;
    return newest;
  }

  close(): void {
    // The files are open only while they are used.
  }

  /** A line in an unknown form is skipped. */
  async *#lines(): AsyncGenerator<RingLine> {
    const file = await privateFile(this.#runs, readFlags);
    if (file === undefined) return;
    try {
      for await (const { text } of linesOf(file)) {
        const entry = parsed(text);
        if (isObject(entry) && typeof entry.seq === "number" && typeof entry.at === "number" && isRun(entry.run))
          yield { seq: entry.seq, at: entry.at, run: entry.run };
      }
    } finally {
      await file.close();
    }
  }

  async #readWindows(): Promise<Map<string, { readonly started: number; readonly runs: number }>> {
    const file = await privateFile(this.#windows, readFlags);
    if (file === undefined) return new Map();
    try {
      const entries = parsed(await file.readFile("utf8"));
      const windows = new Map<string, { readonly started: number; readonly runs: number }>();
      for (const [key, value] of Object.entries(asObject(entries)))
        if (isObject(value) && typeof value.started === "number" && typeof value.runs === "number")
          windows.set(key, { started: value.started, runs: value.runs });
      return windows;
    } finally {
      await file.close();
    }
  }
}

/** True for a value that a process has written as a record. */
const isRun = (value: Json | undefined): value is JsonObject & CapturedRun =>
  isObject(value) && typeof value.run_uuid === "string" && typeof value.started === "string" && !Number.isNaN(Date.parse(value.started));

function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json; // what JSON.parse gives is JSON
  } catch {
    return null;
  }
}
