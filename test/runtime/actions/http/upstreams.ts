import { type HttpArgs, http } from "#runtime/features/actions/http.ts";
import type { HostOptions } from "#runtime/process/host.ts";
import type { Act } from "#runtime/run/run.ts";
import { act, type Stub, stub } from "../../../harness/sockets.ts";

const stubs: Stub[] = [];

/** Closes the services of a test. */
export async function closeUpstreams(): Promise<void> {
  await Promise.all(stubs.splice(0).map((each) => each.close()));
}

/** A service that is closed after the test. */
export async function upstream(...args: Parameters<typeof stub>): Promise<Stub> {
  const made = await stub(...args);
  stubs.push(made);
  return made;
}

/** The action as it ended. */
export const call = (args: HttpArgs, options?: HostOptions): Promise<Act> => act((made) => http(made, args), options);

/** A service that answers `ok`. */
export const echo = (): Promise<Stub> => upstream((response) => response.end("ok"));
