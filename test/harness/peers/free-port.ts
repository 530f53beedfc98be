import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/** Ports below those that systems give to connections by themselves, so that no connection of another test takes one meanwhile. */
const [lowest, highest] = [20_000, 32_000];

/** A port of this machine at which nobody listens now, for a server that cannot be told to choose one. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(lowest, highest);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}
