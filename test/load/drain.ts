import { Agent } from "node:http";
import { once } from "./good.ts";
import { startService } from "./process.ts";

export interface DrainResult {
  readonly answered: number;
  /** Requests that were refused, by an answer or because the listener had closed: their clients go to another node. */
  readonly refused: number;
  /** Requests that were taken and not answered. */
  readonly lost: readonly string[];
  readonly exit: number | null;
}

/** Sends requests without a pause, ends the service in the middle of them, and counts those that were taken and not answered. */
export async function drain(clients: number, flags: readonly string[] = []): Promise<DrainResult> {
  const service = await startService(flags);
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  let [answered, refused] = [0, 0];
  const lost: string[] = [];
  const client = async (keeps: boolean, path: string): Promise<void> => {
    for (;;) {
      const problem = await once(service.url, keeps ? agent : false, path);
      if (problem === undefined) answered += 1;
      else if (problem === "status 503" || problem.startsWith("connect ")) {
        refused += 1;
        return;
      } else lost.push(problem);
    }
  };
  const all = Array.from({ length: clients }, (_, i) => client(i % 2 === 0, i % 4 < 2 ? "/wait" : "/now"));
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  service.child.kill("SIGTERM");
  await Promise.all(all);
  agent.destroy();
  return { answered, refused, lost, exit: await service.ended };
}
