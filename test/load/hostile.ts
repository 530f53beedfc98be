import { connect, type Socket } from "node:net";
import { mangled } from "./malformed.ts";
import { randomFrom } from "./random.ts";

// A process of its own: `hostile.ts URL CONNECTIONS SECONDS`. Three of five connections are silent, one of five sends a byte now and then,
// one of five sends malformed requests. Closed connections are opened again.

const [url = "", connections = "100", seconds = "5"] = process.argv.slice(2);
const { hostname, port } = new URL(url);
const random = randomFrom(7);
const ends = performance.now() + Number(seconds) * 1_000;
let opened = 0;
const live = new Set<Socket>();

function begin(kind: number): void {
  const socket = connect(Number(port), hostname);
  opened += 1;
  live.add(socket);
  let busy: NodeJS.Timeout | undefined;
  socket.on("error", () => undefined);
  socket.on("data", () => undefined);
  socket.on("close", () => {
    clearInterval(busy);
    live.delete(socket);
    if (performance.now() < ends) setTimeout(() => begin(kind), 200 + random() * 800);
  });
  socket.on("connect", () => {
    if (kind === 3) {
      socket.write(
        random() < 0.5 ? "GET /now HTTP/1.1\r\nhost: a\r\nx-slow: " : "POST /echo HTTP/1.1\r\nhost: a\r\ncontent-length: 100000\r\n\r\n",
      );
      busy = setInterval(() => socket.write("x"), 2_000 + random() * 2_000);
    } else if (kind === 4) {
      socket.write(mangled(random));
      busy = setTimeout(() => socket.destroy(), 500 + random() * 4_500);
    }
  });
}

// Connections are opened in small groups, because the queue of a listener is short.
const wanted = Number(connections);
let begun = 0;
const opening = setInterval(() => {
  for (let i = 0; i < 10 && begun < wanted; i++) begin(begun++ % 5);
  if (begun === wanted) clearInterval(opening);
}, 10);

setTimeout(() => {
  process.send?.({ opened, live: live.size });
  process.exit();
}, Number(seconds) * 1_000);
