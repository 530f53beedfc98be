import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Peer } from "./peer.ts";

/** Node-RED with an ordinary flow: change nodes for constant parts, a function node for the rows. Its editor is off. */
export const nodeRed: Peer = {
  title: "Node-RED",
  program: process.env.NODE_RED ?? "node-red/red.js",
  script: true,
  version: ["--version"],
  get: "npm install node-red in a folder of its own, and NODE_RED=<folder>/node_modules/node-red/red.js",
  prepare: ({ folder, port, upstream }) => {
    writeFileSync(join(folder, "flows.json"), JSON.stringify(flows(upstream)));
    const file = join(folder, "settings.cjs");
    writeFileSync(file, settings(port));
    return { args: ["--userDir", folder, "--settings", file], env: {} };
  },
};

const settings = (port: number): string => `module.exports = {
  uiPort: ${port}, uiHost: "127.0.0.1", httpAdminRoot: false, httpNodeRoot: "/", flowFile: "flows.json", credentialSecret: false,
  telemetry: { enabled: false, updateNotification: false }, logging: { console: { level: "off", metrics: false, audit: false } },
};
`;

const constant = JSON.stringify({ message: "hello", service: "orders", version: 3, ok: true, tags: ["a", "b"] });

const rows = `msg.payload = msg.payload.data.items.map((x) => ({
  id: x.id, name: x.name, unit_price: x.price, qty: x.qty, category: x.category, note: x.note, source: "stub" }));
return msg;`;

const flows = (upstream: string): readonly object[] => {
  const node = (id: string, type: string, next: readonly string[], more: object) => ({
    id,
    z: "tab",
    type,
    x: 0,
    y: 0,
    wires: [next],
    ...more,
  });
  const begins = (id: string, url: string, next: string) => node(id, "http in", [next], { url, method: "get", upload: false });
  const answer = (id: string) => node(id, "http response", [], { statusCode: "", headers: { "content-type": "application/json" } });
  return [
    { id: "tab", type: "tab", label: "bench" },
    begins("in1", "/w1", "set1"),
    node("set1", "change", ["out1"], { rules: [{ t: "set", p: "payload", pt: "msg", to: constant, tot: "json" }] }),
    answer("out1"),
    begins("in3", "/w3", "call3"),
    node("call3", "http request", ["rows3"], {
      method: "GET",
      ret: "obj",
      paytoqs: "ignore",
      url: `${upstream}/items`,
      persist: true,
      headers: [],
    }),
    node("rows3", "function", ["out3"], { func: rows, outputs: 1, timeout: 0, noerr: 0, initialize: "", finalize: "", libs: [] }),
    answer("out3"),
  ];
};
