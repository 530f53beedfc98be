import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath, pathToFileURL } from "node:url";
import { allGeneratedPositionsFor, LEAST_UPPER_BOUND, originalPositionFor, TraceMap } from "@jridgewell/trace-mapping";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { run } from "../../harness/terminal.ts";

// A debugger on `--inspect`: it speaks the inspector protocol as VS Code and Chromium do, and knows places of the YAML alone.

const bin = fileURLToPath(new URL("../../../bin/pipewright.mjs", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "pipewright-inspect-"));
const file = join(folder, "notes.yaml");
const yaml = `name: Notes
interfaces:
  notes/:id:
    method: GET
    actions:
      - name: Note
        json_output: { id: a|params::id| }
        post_transforms:
          - add_attribute: { title: Groceries }
      - name: Told
        input: a|Note|
        assert:
          tests:
            - value: id
              is_equal_to: "7"
`;

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Starts a command with a free port for requests and one for the debugger, and gives the addresses of both. */
async function inspected(command: string): Promise<{ readonly url: string; readonly debuggerUrl: string }> {
  writeFileSync(file, yaml);
  const env = { ...process.env, PIPEWRIGHT_ADMIN_BIND: "off", PIPEWRIGHT_METRICS_BIND: "off" };
  const words = [bin, command, file, "--address", "127.0.0.1", "--port", "0", "--inspect", "0"];
  const child = spawn(process.execPath, words, { env, cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
  children.push(child);
  const debuggerUrl = lineOf(child.stderr, /Debugger listening on (ws:\S+)/);
  const url = lineOf(child.stdout, /"listening".*"url":"([^"]+)"|"url":"([^"]+)".*"listening"/);
  return { url: await url, debuggerUrl: await debuggerUrl };
}

const lineOf = (stream: NodeJS.ReadableStream, pattern: RegExp): Promise<string> =>
  new Promise((resolve, reject) => {
    const said: string[] = [];
    createInterface(stream)
      .on("line", (line) => {
        said.push(line);
        const [, ...groups] = pattern.exec(line) ?? [];
        const address = groups.find((group) => group !== undefined);
        if (address !== undefined) resolve(address);
      })
      .on("close", () => reject(new Error(said.join("\n"))));
  });

interface Place {
  readonly scriptId: string;
  readonly lineNumber: number;
  readonly columnNumber: number;
}

/** A debugger of one session. */
class Session {
  readonly #socket: WebSocket;
  readonly #answers = new Map<number, (result: unknown) => void>();
  readonly #maps = new Map<string, TraceMap>();
  readonly #paused: ((place: Place) => void)[] = [];
  #last = 0;

  constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener("message", ({ data }) => this.#take(JSON.parse(String(data))));
  }

  static async attach(url: string): Promise<Session> {
    const socket = new WebSocket(url);
    await new Promise((resolve) => socket.addEventListener("open", resolve, { once: true }));
    const session = new Session(socket);
    await session.send("Debugger.enable");
    return session;
  }

  #take({ id, method, params, result }: { id?: number; method?: string; params?: never; result?: unknown }): void {
    if (id !== undefined) this.#answers.get(id)?.(result);
    if (method === "Debugger.scriptParsed") this.#parsed(params ?? { scriptId: "", sourceMapURL: "" });
    if (method === "Debugger.paused")
      this.#paused.shift()?.((params as unknown as { callFrames: { location: Place }[] }).callFrames[0]?.location ?? nowhere);
  }

  #parsed({ scriptId, sourceMapURL }: { scriptId: string; sourceMapURL: string }): void {
    const [, encoded] = /^data:application\/json;base64,(.+)$/.exec(sourceMapURL) ?? [];
    if (encoded !== undefined) this.#maps.set(scriptId, new TraceMap(Buffer.from(encoded, "base64").toString()));
  }

  send(method: string, params: object = {}): Promise<unknown> {
    this.#last += 1;
    const id = this.#last;
    this.#socket.send(JSON.stringify({ id, method, params }));
    return new Promise((resolve) => this.#answers.set(id, resolve));
  }

  /** Sets a breakpoint on a line of the YAML, at the first place that comes from it. */
  async breakAt(source: string, line: number): Promise<void> {
    for (const [scriptId, map] of this.#maps) {
      if (!map.sources.includes(source)) continue;
      const [first] = allGeneratedPositionsFor(map, { source, line, column: 0, bias: LEAST_UPPER_BOUND });
      if (first?.line === null || first === undefined) throw new Error(`nothing comes from line ${line}`);
      await this.send("Debugger.setBreakpoint", { location: { scriptId, lineNumber: first.line - 1, columnNumber: first.column } });
      return;
    }
    throw new Error(`no script comes from ${source}`);
  }

  /** The line of the YAML at which the process stops next. */
  async pausedLine(): Promise<number | null> {
    const { scriptId, lineNumber, columnNumber } = await new Promise<Place>((resolve) => this.#paused.push(resolve));
    const map = this.#maps.get(scriptId);
    return map === undefined ? null : originalPositionFor(map, { line: lineNumber + 1, column: columnNumber }).line;
  }
}

const nowhere: Place = { scriptId: "", lineNumber: 0, columnNumber: 0 };

describe.each(["serve", "dev"])("%s --inspect", (command) => {
  test.each([
    ["the output of an action", 7],
    ["a transform", 9],
    ["a test", 14],
  ])("stops on the line of %s", async (_, line) => {
    const { url, debuggerUrl } = await inspected(command);
    const session = await Session.attach(debuggerUrl);
    await session.breakAt(pathToFileURL(file).href, line);
    const answer = fetch(`${url}/notes/7`);
    expect(await session.pausedLine()).toBe(line);
    await session.send("Debugger.resume");
    expect((await answer).status).toBe(200);
  });
});

test.each([
  ["0.0.0.0:9229", "--inspect: '0.0.0.0' may be reached by other machines; use 127.0.0.1 and a tunnel"],
  ["nine", "--inspect: 'nine' is no PORT or HOST:PORT"],
  ["70000", "--inspect: '70000' is no PORT or HOST:PORT"],
])("--inspect %s is refused", async (address, reason) => {
  writeFileSync(file, yaml);
  expect(await run(folder, "serve", file, "--inspect", address)).toMatchObject({ status: 3, err: `pipewright: ${reason}\n` });
});
