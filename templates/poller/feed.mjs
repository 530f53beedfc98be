// Stands in for the feed and the chat: `npm run feed` adds an item each minute, and prints the messages to the chat.
import { createServer } from "node:http";
import { text } from "node:stream/consumers";

const began = Date.now();

createServer(async (request, response) => {
  if (request.method === "POST") console.log(await text(request));
  const count = 2 + Math.floor((Date.now() - began) / 60_000);
  const items = Array.from({ length: count }, (_, i) => ({ id: i + 1, title: `release ${i + 1}` }));
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ items }));
}).listen(4200, "127.0.0.1", () => console.log("listening on http://127.0.0.1:4200"));
