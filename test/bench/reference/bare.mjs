import { createServer } from "node:http";

// The least server: it shows the cost of starting Node and of listening. JavaScript: to strip types takes longer than all the rest.

const server = createServer((_request, response) => {
  response.setHeader("content-type", "application/json");
  response.end('{"message":"hello"}');
});

server.listen(0, "127.0.0.1", () => {
  const { port } = server.address();
  console.log(JSON.stringify({ msg: "listening", url: `http://127.0.0.1:${port}` }));
});
