import { appendFileSync } from "node:fs";
import { createServer } from "node:net";

// A worker that serves no requests, for tests of its first process: it notes its orders, and does what its arguments say.

const [notes = "", ...ways] = process.argv.slice(2);
const me = process.env.PIPEWRIGHT_WORKER ?? "";
const note = (text: string): void => appendFileSync(notes, `${me} ${text}\n`);

note("begins");
if (ways.includes("refuses")) process.exit(78);
process.on("message", (order: { readonly crew: string; readonly id?: number; readonly count?: number }) => {
  if (order.crew === "measure") process.send?.({ crew: "measured", id: order.id, metrics: [me] });
  else note(order.crew === "serving" ? `serving ${order.count}` : order.crew);
  if (order.crew === "drain" && !ways.includes("stays")) process.exit(ways.includes("late") ? 1 : 0);
});
if (ways.includes("crashes") && me.startsWith("2/")) process.exit(9);
const listening = (port?: number): unknown => process.send?.({ crew: "listening", url: port === undefined ? "http://there" : `${port}` });
if (ways.includes("listens")) {
  const server = createServer().listen(0, "127.0.0.1", () => listening((server.address() as { readonly port: number }).port));
} else listening();
