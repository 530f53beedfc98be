import { connect, failed, type Pingable, type SourceOf } from "../../features/actions/database/source.ts";
import type { QueryLimits } from "../../features/actions/database.ts";
import type { Host, Resource } from "../../process/host.ts";
import { background } from "../end/background.ts";
import type { Run } from "../run.ts";

/** Table or collection of records, made when it is missing (spec/language 7.9). */
export const recordsName = "pipewright_log";

/** Records that may be on their way at once: a database that has stopped must not fill the memory. */
const most = 1_000;

/** One record may take ten seconds. */
export const limits: QueryLimits = { timeout: 10_000 };

/** Records of a host that are on their way. */
class Pending implements Resource {
  #open = 0;
  #dropped = 0;

  /** False when there is no room; the first that finds some again is told how many had none. */
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
    // A shutdown waits for what is on its way.
  }
}

/** Writes a record beside the run, which never waits for it and never fails by it; a shutdown does wait. */
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
