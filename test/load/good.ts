import { Agent, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

/** The answers that well-behaved clients have had. */
export interface Seen {
  readonly answered: number;
  /** Answers that were wrong, and requests without one. */
  readonly failures: readonly string[];
  /** Milliseconds from when a request was due, by share of the requests. */
  readonly p50: number;
  readonly p99: number;
  readonly longest: number;
}

/** Asks so often in a second, whether the answers come or not, over connections that are kept. */
export async function askSteadily(url: string, rate: number, seconds: number): Promise<Seen> {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const times: number[] = [];
  const failures: string[] = [];
  const open: Promise<void>[] = [];
  const began = performance.now();
  for (let sent = 0; sent < rate * seconds; ) {
    const due = began + (sent / rate) * 1_000;
    if (due > performance.now()) await sleep(Math.max(1, due - performance.now()));
    else {
      sent += 1;
      open.push(
        once(url, agent).then((problem) => void (problem === undefined ? times.push(performance.now() - due) : failures.push(problem))),
      );
    }
  }
  await Promise.all(open);
  agent.destroy();
  times.sort((a, b) => a - b);
  const at = (share: number): number =>
    Math.round((times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? Number.NaN) * 10) / 10;
  return { answered: times.length, failures, p50: at(0.5), p99: at(0.99), longest: at(1) };
}

/** Undefined when the answer is the right one. */
export function once(url: string, agent: Agent | false, path = "/now"): Promise<string | undefined> {
  return new Promise((resolve) => {
    const asked = request(`${url}${path}`, { agent }, (response) => {
      response.resume();
      response.on("end", () => resolve(response.statusCode === 200 ? undefined : `status ${response.statusCode}`));
      response.on("error", (error) => resolve(error.message));
    });
    asked.on("error", (error) => resolve(error.message));
    asked.end();
  });
}
