import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { Readable } from "node:stream";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { root } from "../../harness/folders.ts";
import { send } from "../../harness/sockets.ts";
import { templateProject } from "../../harness/template-project.ts";
import { run } from "../../harness/terminal.ts";
import { untilTrue } from "../../harness/until.ts";

// The application that `init --template fastify` writes.

let project: Awaited<ReturnType<typeof templateProject>>;
let child: ChildProcessByStdio<null, Readable, null>;
let log = "";
let url = "";
beforeAll(async () => {
  project = await templateProject("fastify", ["fastify"]);
  child = spawn(process.execPath, ["--conditions=pipewright-source", "server.ts"], {
    cwd: project.folder,
    env: { PATH: process.env.PATH, PORT: "0" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  child.stdout.on("data", (piece) => {
    log += piece;
  });
  await untilTrue(() => /listening at (http:[^"]+)/.test(log));
  [, url = ""] = /listening at (http:[^"]+)/.exec(log) ?? [];
});
afterAll(() => {
  child.kill("SIGKILL");
  project.remove();
});

describe("the template fastify", () => {
  test("has nothing to report, and what it has generated is up to date", async () => {
    expect(await run(project.folder, "check", ".", "--strict")).toEqual({
      status: 0,
      out: "1 config checked, nothing to report\n",
      err: "",
    });
    expect(await run(project.folder, "generate", ".", "--check")).toMatchObject({ status: 0, out: "" });
  });

  test("says how it is started", async () => {
    const { out } = await run(project.folder, "init", "other", "--template", "fastify", "--pipewright", "1.2.3");
    expect(out).toContain("  npm start          # then: curl localhost:3000\n");
  });

  test("answers, and knows by a hook of the application who asks", async () => {
    const order = { article: "bread", pieces: 2 };
    const ask = (path: string, who: string, body?: object) =>
      send(url, path, {
        method: body === undefined ? "GET" : "POST",
        headers: { authorization: who, "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
    const made = await ask("/api/orders", "Bearer ada", order);
    expect([made.status, made.headers.location, JSON.parse(made.text)]).toEqual([
      201,
      "/api/orders/1",
      { id: 1, customer: "Ada", ...order },
    ]);
    expect(JSON.parse((await ask("/api/orders/1", "Bearer ada")).text)).toEqual({ id: 1, customer: "Ada", ...order });
    expect((await ask("/api/orders/1", "Bearer bob")).status).toBe(404);
    expect(await ask("/api/orders/1", "nobody")).toMatchObject({ status: 401, text: '{"error":"who are you?"}' });
    expect((await ask("/api/orders", "Bearer bob", { article: "", pieces: 0 })).status).toBe(422);
    expect(JSON.parse((await ask("/", "")).text)).toEqual({ try: ["POST /api/orders", "GET /api/orders/:id"] });
  });

  test.skipIf(process.platform === "win32")("ends in good order", async () => {
    const ended = once(child, "exit");
    child.kill("SIGTERM");
    expect(await ended).toEqual([0, null]);
  });

  test("is what the guide shows", () => {
    const guide = readFileSync(new URL("docs/fastify.md", root), "utf8");
    for (const file of ["application.ts", "server.ts"])
      expect(guide).toContain(readFileSync(new URL(`templates/fastify/${file}`, root), "utf8"));
  });
});
