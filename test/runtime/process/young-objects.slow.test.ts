import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { Agent, createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bundle } from "../../../compiler/7-link/bundle.ts";
import { planned, printOne } from "../../harness/compile.ts";

// A run is garbage when it has been answered. A reference that is left makes the collector copy it again and again, while all clients wait.

const config = (url: string): string => `
name: t
interfaces:
  waits:
    method: POST
    output: http
    actions:
      - name: Wait
        delay: 1ms
  calls:
    method: POST
    output: http
    actions:
      - name: Loop
        lookup: a|body::items|
        lookup_concurrency: 8
        actions:
          - name: Call
            http: { url: '${url}/a|body|' }
`;

describe("under load, next to no object outlives its run", () => {
  const folder = mkdtempSync(join(tmpdir(), "pipewright-young-"));
  const service = createServer((_, response) => response.end('{"a":1}'));
  let child: ChildProcess;
  let url: string;
  /** The lines of V8 about its collections. */
  let said = "";

  beforeAll(async () => {
    service.listen(0, "127.0.0.1");
    await once(service, "listening");
    const { port } = service.address() as AddressInfo;
    const module = await printOne(planned(config(`http://127.0.0.1:${port}`)));
    const file = join(folder, "bundle.cjs");
    writeFileSync(file, (await bundle([module], { environment: "test", format: "cjs" })).code);
    child = spawn(process.execPath, ["--trace-gc-nvp", file, "--address", "127.0.0.1", "--port", "0"], {
      env: { PATH: process.env.PATH },
      stdio: ["ignore", "pipe", "inherit"],
    });
    url = await new Promise((resolve, reject) => {
      child.on("exit", () => reject(new Error(`ended: ${said}`)));
      createInterface({ input: child.stdout ?? process.stdin }).on("line", (line) => {
        said += `${line}\n`;
        const [, found] = /"url":"([^"]+)"/.exec(line) ?? [];
        if (found !== undefined) resolve(found);
      });
    });
  });

  afterAll(async () => {
    child.removeAllListeners("exit");
    const ended = once(child, "exit");
    child.kill();
    await ended;
    service.closeAllConnections();
    service.close();
    rmSync(folder, { recursive: true });
  });

  test.each([
    ["waits", 20_000],
    ["calls", 3_000],
  ])("%s", async (name, requests) => {
    // First more than can be served at once, when all objects live long.
    await ask(`${url}/local/test/${name}`, 256, requests / 2);
    said = "";
    await ask(`${url}/local/test/${name}`, 16, requests);
    const collections = [...said.matchAll(/ gc=s .* allocated=(\d+) promoted=(\d+) /g)];
    const [allocated, promoted] = [1, 2].map((i) => collections.reduce((sum, found) => sum + Number(found[i]), 0));
    expect(collections.length).toBeGreaterThan(2);
    expect((promoted ?? 0) / (allocated ?? 0)).toBeLessThan(0.03);
  });
});

/** Sends so many requests, that many at a time. */
async function ask(url: string, parallel: number, requests: number): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: parallel });
  let left = requests;
  const one = async (): Promise<void> => {
    while (left-- > 0) {
      const asked = request(url, { agent, method: "POST", headers: { "content-type": "application/json" } });
      asked.end('{"items":[1,2,3,4,5,6,7,8]}');
      const [response] = await once(asked, "response");
      expect(response.statusCode).toBe(200);
      await once(response.resume(), "end");
    }
  };
  await Promise.all(Array.from({ length: parallel }, one));
  agent.destroy();
}
