import { once } from "node:events";
import { createServer } from "node:net";

/** How many ports are tried. */
const most = 20;

/** The port itself when nobody listens on it, else the next free one after it; the port itself, too, when there is none. */
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
    // The server reports any other reason when it tries to listen itself.
    return !(error instanceof Error && "code" in error && error.code === "EADDRINUSE");
  } finally {
    server.close();
  }
}
