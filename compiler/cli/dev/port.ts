import { once } from "node:events";
import { createServer } from "node:net";
import { codeOf } from "#runtime/value/thrown.ts";

/** The number of ports that are tried. */
const most = 20;

/** The port itself if it is free, else the next free port after it. If there is none, it is the port itself. */
export async function freePort(address: string, port: number): Promise<number> {
  if (port === 0) return port;
  for (let tried = port; tried < Math.min(port + most, 65536); tried++) {
    if (await isFree(address, tried)) return tried;
  }
  return port;
}

async function isFree(address: string, port: number): Promise<boolean> {
  const server = createServer();
  try {
    server.listen({ port, host: address, exclusive: true });
    await once(server, "listening");
    return true;
  } catch (error) {
    // The server reports any other error when it listens on the port.
    return codeOf(error) !== "EADDRINUSE";
  } finally {
    server.close();
  }
}
