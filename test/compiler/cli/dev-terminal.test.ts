import { EventEmitter } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:net";
import { expect, test } from "vitest";
import { listenToKeys } from "../../../compiler/cli/dev/keys.ts";
import { linked } from "../../../compiler/cli/dev/links.ts";
import { freePort } from "../../../compiler/cli/dev/port.ts";
import { routeTable, sayingRequests } from "../../../compiler/cli/dev/requests.ts";
import type { Terminal } from "../../../compiler/cli/project.ts";

// `pipewright dev` on a terminal: requests, routes, links, keys and the port.

function terminal(more: Partial<Terminal> = {}): { readonly lines: string[]; readonly terminal: Terminal } {
  const lines: string[] = [];
  const say = (text: string): void => void lines.push(text);
  return {
    lines,
    terminal: { cwd: "/project", out: say, err: say, isTerminal: true, colors: { out: false, err: false }, env: {}, ...more },
  };
}

/** A request and its answer, with the members that their line needs. */
function request(url: string, statusCode: number, writableFinished = true): readonly [IncomingMessage, ServerResponse] {
  const response = Object.assign(new EventEmitter(), { statusCode, writableFinished });
  return [{ method: "GET", url } as IncomingMessage, response as unknown as ServerResponse];
}

test("a request is one line when its answer has gone out, without its query", () => {
  const { lines, terminal: at } = terminal();
  const beside = sayingRequests(() => false, at);
  for (const [message, response] of [
    request("/notes?token=s3cret", 200),
    request("/a\u001b[31m", 404),
    request("/slow", 200, false),
    request("/_pipewright/dev.json", 200),
  ]) {
    beside(message, response, false);
    // A path that is free is asked about twice.
    beside(message, response, true);
    response.emit("close");
  }
  expect(lines.map((line) => line.replace(/^\d\d:\d\d:\d\d /, "").replace(/\d+ ms/, "0 ms"))).toEqual([
    "GET    /notes 200 0 ms\n",
    "GET    /a\\u001b[31m 404 0 ms\n",
    "GET    /slow gone 0 ms\n",
  ]);
});

test("routes are a table, and places are links where the terminal has colours", () => {
  const routes = [
    { method: "GET", path: "/notes", interface: "list", config: "c", at: "api/notes.yaml:7" },
    { method: "DELETE", path: "/notes/:id", interface: "remove", config: "c" },
  ];
  expect(routeTable(routes, terminal().terminal)).toBe("  GET     /notes      list  api/notes.yaml:7\n  DELETE  /notes/:id  remove\n");
  const colors = { out: true, err: true };
  const link = (env: Terminal["env"]): string => linked("api/notes.yaml:7:3", { cwd: "/project", colors, env });
  expect(link({})).toBe("\u001b]8;;file:///project/api/notes.yaml\u001b\\api/notes.yaml:7:3\u001b]8;;\u001b\\");
  expect(link({ TERM_PROGRAM: "vscode" })).toContain("vscode://file/project/api/notes.yaml:7:3");
});

test("keys do what the help says, and are not listened to without a terminal", async () => {
  const done: string[] = [];
  const note = (what: string) => () => void done.push(what);
  let press: (key: string) => void = () => undefined;
  const { lines, terminal: at } = terminal({
    keys: (pressed) => {
      press = pressed;
      return note("ended");
    },
  });
  const tested = Promise.withResolvers<void>();
  const test = (): Promise<void> => {
    note("test")();
    return tested.promise;
  };
  const actions = { reload: async () => note("reload")(), url: "http://127.0.0.1:1", test, quit: note("quit"), routes: note("routes") };
  const end = listenToKeys(actions, at);
  // The second `t` comes while the tests of the first are running.
  for (const key of ["r", "t", "t", "l", "x", "h", "q"]) press(key);
  expect(done).toEqual(["reload", "test", "routes", "quit"]);
  tested.resolve();
  await tested.promise;
  await Promise.resolve();
  press("t");
  end();
  expect(done.splice(4)).toEqual(["test", "ended"]);
  done.push("ended");
  expect(lines).toHaveLength(2);
  listenToKeys(actions, terminal().terminal)();
  expect(done).toHaveLength(5);
});

test("a port that is taken gives way to the next free one", async () => {
  const other = createServer().listen(0, "127.0.0.1");
  await new Promise((listens) => other.once("listening", listens));
  const { port } = other.address() as { port: number }; // it listens on a port
  const next = await freePort("127.0.0.1", port);
  expect(next).toBeGreaterThan(port);
  expect(await freePort("127.0.0.1", next)).toBe(next);
  other.close();
});
