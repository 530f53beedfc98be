import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

// What starting Node and listening costs by itself.

const server = createServer((_request, response) => {
  response.setHeader("content-type", "application/json");
  response.end('{"message":"hello"}');
});

server.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo; // it listens on a port, not on a pipe
  console.log(JSON.stringify({ msg: "listening", url: `http://127.0.0.1:${port}` }));
});
