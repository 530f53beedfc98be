import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type WebSocket, WebSocketServer } from "ws";

// W9 and W10 as someone who knows `ws` would write them: no compression, and a message to many is made into bytes once.

const server = createServer((_request, response) => response.writeHead(426).end());
const options = { noServer: true, perMessageDeflate: false, maxPayload: 256 << 10 } as const;
const sockets = new WebSocketServer({ ...options, clientTracking: false });
const subscribers = new Set<WebSocket>();

function echo(socket: WebSocket, data: Buffer): void {
  let message: unknown;
  try {
    message = JSON.parse(data.toString());
  } catch {
    socket.send('{"error":"invalid JSON"}');
    return;
  }
  socket.send(JSON.stringify({ data: message }));
}

function tell(socket: WebSocket, data: Buffer): void {
  let message: { ap_subscribe?: string };
  try {
    message = JSON.parse(data.toString());
  } catch {
    socket.send('{"error":"invalid JSON"}');
    return;
  }
  if (message.ap_subscribe !== undefined) {
    subscribers.add(socket);
    socket.send(JSON.stringify({ ap_subscribed: [message.ap_subscribe] }));
    return;
  }
  const bytes = Buffer.from(JSON.stringify({ ap_channel: "news", data: message }));
  for (const each of subscribers) each.send(bytes, { binary: false });
}

server.on("upgrade", (request, socket, head) => {
  sockets.handleUpgrade(request, socket, head, (accepted) => {
    const answer = request.url?.endsWith("/w9") === true ? echo : tell;
    // One message of text is one buffer, which is what `ws` gives by default.
    accepted.on("message", (data: Buffer) => answer(accepted, data));
    accepted.on("close", () => subscribers.delete(accepted));
    accepted.on("error", () => accepted.terminate());
  });
});

server.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo; // it listens on a port, not on a pipe
  console.log(JSON.stringify({ msg: "listening", url: `http://127.0.0.1:${port}` }));
});
