// Stands in for the services that events are passed on to: `npm run receiver` prints what arrives.
import { createServer } from "node:http";
import { text } from "node:stream/consumers";

createServer(async (request, response) => {
  console.log(request.method, request.url, await text(request));
  response.writeHead(204).end();
}).listen(4200, "127.0.0.1", () => console.log("listening on http://127.0.0.1:4200"));
