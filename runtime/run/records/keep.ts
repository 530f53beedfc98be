import { connect, failed, type Pingable, type SourceOf } from "../../features/actions/database/source.ts";
import type { QueryLimits } from "../../features/actions/database.ts";
import type { Host, Resource } from "../../process/host.ts";
import { background } from "../end/background.ts";
import type { Run } from "../run.ts";

/** The table or collection of records; it is created when it is missing (spec/language 7.9). */
export const recordsName = "pipewright_log";

/** The most records on their way at once, so that a database that has stopped does not fill the memory. */
const most = 1_000;

/** One record may take ten seconds. */
export const limits: QueryLimits = { timeout: 10_000 };

/** The number of records of a host that are on their way. */
class Pending implements Resource {
  #open = 0;
  #dropped = 0;

  /** Takes a place; false when there is none. The first record that finds a place again logs how many were dropped. */
  enter(host: Host): boolean {
    if (this.#open >= most) {
      this.#dropped += 1;
      return false;
    }
    this.#open += 1;
    if (this.#dropped > 0) host.log("warn", "records of runs were dropped: their database is too slow", { dropped: this.#dropped });
    this.#dropped = 0;
    return true;
  }

  leave(): void {
    this.#open -= 1;
  }

  close(): void {
    // By `background`, a shutdown already waits for the records on their way.
  }
}

/** Writes a record beside the run, which neither waits for it nor fails by it. A shutdown does wait for it. */
export function keep<C extends Pingable>(run: Run, source: SourceOf<C>, write: (connection: C) => Promise<unknown>): void {
  const { host, config, interface: target, id } = run;
  const pending = host.resource("run records", () => new Pending());
  if (!pending.enter(host)) return;
  const leave = background(host).hold();
  writeRecord(run, source, write)
    .catch((error: unknown) => {
      const fields = { config: config.name, interface: target.name, run_uuid: id };
      const { kind, message } = failed(error, source, run);
      host.log(kind === "manifest" ? "error" : "warn", `the record of a run is lost: ${message}`, fields);
    })
    .finally(() => {
      pending.leave();
      leave();
    });
}

async function writeRecord<C extends Pingable>(run: Run, source: SourceOf<C>, write: (connection: C) => Promise<unknown>): Promise<void> {
  await source.load?.(run);
  await write(connect(source, run));
}
