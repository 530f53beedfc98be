import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/** Ports below the ephemeral range, so that no outgoing connection of another test takes the port meanwhile. */
const [lowest, highest] = [20_000, 32_000];

/** A port of this machine at which no process listens, for a server that cannot choose a free port itself. */
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
