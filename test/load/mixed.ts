import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { askSteadily, type Seen } from "./good.ts";
import { startService } from "./process.ts";

export interface MixedOptions {
  readonly connections: number;
  readonly seconds: number;
  /** Good requests in a second. */
  readonly rate: number;
}

export interface MixedResult extends Seen {
  readonly opened: number;
  readonly live: number;
  readonly peakMiB: number;
  /** Seconds: on a machine that others use, the second says how much of a delay is theirs. */
  readonly processor: { readonly had: number; readonly waited: number };
  readonly exit: number | null;
}

/** Good requests at a steady rate while others hold thousands of connections for no good. */
export async function mixed({ connections, seconds, rate }: MixedOptions): Promise<MixedResult> {
  const service = await startService();
  const file = fileURLToPath(new URL("hostile.ts", import.meta.url));
  // The good ones have 64 connections of their own: a server takes no more than 10,000.
  const hostile = fork(file, [service.url, `${connections - 64}`, `${seconds}`]);
  const counted = new Promise<{ opened: number; live: number }>((resolve) => hostile.once("message", (said) => resolve(said as never))); // what hostile.ts says
  const seen = await askSteadily(service.url, rate, seconds - 1);
  const { opened, live } = await counted;
  const [peakMiB, processor] = [service.peak(), service.processor()];
  service.child.kill("SIGTERM");
  return { ...seen, opened, live, peakMiB, processor, exit: await service.ended };
}
