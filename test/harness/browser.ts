import { type ChildProcess, spawn } from "node:child_process";
import { accessSync, constants, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import type { Readable, Writable } from "node:stream";

// A headless Chromium of the system, driven by its DevTools protocol over pipes. Some machines have none.

/** Options for opening a page. */
export interface View {
  readonly width: number;
  readonly height: number;
  readonly scheme?: "light" | "dark";
  readonly reducedMotion?: boolean;
  /** Factor by which the processor is slowed down. A mid-range phone has a quarter of the speed of a desktop: 4. */
  readonly slowdown?: number;
  /** A script that runs in the page before the page's own scripts. */
  readonly before?: string;
}

export interface Page {
  /** Errors from the console, the content security policy and the network. */
  readonly faults: readonly string[];
  /** Addresses of all requests of the page. */
  readonly asked: readonly string[];
  /** Value of an expression, which may be a promise. */
  evaluate(expression: string): Promise<unknown>;
  /** Presses a key: `Tab`, `Enter`, `/`. */
  press(key: string): Promise<void>;
  /** Clicks at a point of the view, in pixels. */
  click(x: number, y: number): Promise<void>;
  /** Turns the mouse wheel at a point, by `pixels` downwards. */
  wheel(x: number, y: number, pixels: number): Promise<void>;
  /** Processor time of the page's main thread so far, in milliseconds. Other work of the machine does not count. */
  worked(): Promise<number>;
  close(): Promise<void>;
  /** A PNG of the view, or of the whole page. */
  shot(whole?: boolean): Promise<Buffer>;
  /** A WebP of the view, for a page of documentation. */
  picture(): Promise<Buffer>;
}

export interface Browser {
  open(url: string, view: View): Promise<Page>;
  close(): Promise<void>;
}

/** Path of the Chromium of this machine. Without one the result is undefined, and a line is printed. */
export function chromium(): string | undefined {
  const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
  const found = (process.env.PATH ?? "")
    .split(delimiter)
    .flatMap((folder) => names.map((name) => join(folder, name)))
    .find(isExecutable);
  if (found === undefined) console.log(`skipped: no ${names.join(", ")} on this machine`);
  return found;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Starts a browser with an empty profile of its own. */
export async function startBrowser(binary: string): Promise<Browser> {
  const profile = mkdtempSync(join(tmpdir(), "pipewright-browser-"));
  const flags = [
    "--headless",
    "--remote-debugging-pipe",
    "--disable-gpu",
    "--no-first-run",
    "--disable-dev-shm-usage",
    "--disable-extensions",
    // These flags stop Chromium's own requests, so that only the opened pages use the network.
    ...["--disable-quic", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
  ];
  // The sandbox of Chromium refuses root, and build machines run tests as root.
  const args = [...flags, `--user-data-dir=${profile}`, ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []), "about:blank"];
  const child = spawn(binary, args, { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
  const wire = connect(child);
  return {
    open: (url, view) => open(wire, url, view),
    async close() {
      const exited = new Promise((resolve) => child.once("exit", resolve));
      await wire.send("Browser.close", {});
      await exited;
      rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    },
  };
}

type Message = Readonly<Record<string, unknown>>;

interface Wire {
  send(method: string, params: Message, session?: string): Promise<Message>;
  on(session: string, hear: (method: string, params: Message) => void): void;
}

/** Messages are JSON, each ended by a zero (fd 3 to the browser, fd 4 from it). */
function connect(child: ChildProcess): Wire {
  const [, , , to, from] = child.stdio as unknown as [null, null, null, Writable, Readable]; // as `stdio` was asked for above
  const waiting = new Map<number, { readonly resolve: (result: Message) => void; readonly reject: (error: Error) => void }>();
  const hearing = new Map<string, (method: string, params: Message) => void>();
  let rest = "";
  let last = 0;
  from.setEncoding("utf8");
  from.on("data", (chunk: string) => {
    const parts = (rest + chunk).split("\0");
    rest = parts.pop() ?? "";
    for (const part of parts) hear(JSON.parse(part));
  });
  child.once("exit", () => {
    for (const { reject } of waiting.values()) reject(new Error("the browser has ended"));
    waiting.clear();
  });
  const hear = ({ id, method, params, result, error, sessionId }: Message): void => {
    if (typeof id !== "number") {
      hearing.get(String(sessionId))?.(String(method), (params ?? {}) as Message); // events have an object
      return;
    }
    const { resolve, reject } = waiting.get(id) ?? {};
    waiting.delete(id);
    if (error === undefined)
      resolve?.((result ?? {}) as Message); // so have results
    else reject?.(new Error(JSON.stringify(error)));
  };
  return {
    send: (method, params, sessionId) =>
      new Promise((resolve, reject) => {
        waiting.set(++last, { resolve, reject });
        to.write(`${JSON.stringify({ id: last, method, params, ...(sessionId === undefined ? {} : { sessionId }) })}\0`);
      }),
    on: (session, hear) => void hearing.set(session, hear),
  };
}

type Ask = (method: string, params?: Message) => Promise<Message>;

async function open(wire: Wire, url: string, view: View): Promise<Page> {
  const { targetId } = await wire.send("Target.createTarget", { url: "about:blank" });
  const { sessionId } = await wire.send("Target.attachToTarget", { targetId, flatten: true });
  const session = String(sessionId);
  const faults: string[] = [];
  const asked: string[] = [];
  let loaded = (): void => undefined;
  const load = new Promise<void>((resolve) => {
    loaded = resolve;
  });
  wire.on(session, (method, params) => {
    if (method === "Page.loadEventFired") loaded();
    if (method === "Runtime.exceptionThrown" || (method === "Runtime.consoleAPICalled" && params.type === "error"))
      faults.push(JSON.stringify(params));
    if (method === "Log.entryAdded") faults.push(JSON.stringify(params.entry));
    if (method === "Network.requestWillBeSent") asked.push(String((params.request as Message).url)); // every request has one
  });
  const ask: Ask = (method, params = {}) => wire.send(method, params, session);
  for (const domain of ["Page", "Runtime", "Log", "Network"]) await ask(`${domain}.enable`);
  await look(ask, view);
  await ask("Page.navigate", { url });
  await load;
  return {
    faults,
    asked,
    ...pageOf(ask),
    async close() {
      await wire.send("Target.closeTarget", { targetId });
    },
  };
}

/** Shows the page as a view says: its size, its scheme of colours, its speed, and a script that runs before those of the page. */
async function look(ask: Ask, view: View): Promise<void> {
  const { width, height, scheme = "light", reducedMotion = false, slowdown = 1, before } = view;
  await ask("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: width < 600 });
  await ask("Performance.enable", { timeDomain: "threadTicks" });
  const features = [
    { name: "prefers-color-scheme", value: scheme },
    { name: "prefers-reduced-motion", value: reducedMotion ? "reduce" : "no-preference" },
  ];
  await ask("Emulation.setEmulatedMedia", { features });
  if (slowdown !== 1) await ask("Emulation.setCPUThrottlingRate", { rate: slowdown });
  if (before !== undefined) await ask("Page.addScriptToEvaluateOnNewDocument", { source: before });
}

/** A page by what a user does with it. */
function pageOf(ask: Ask): Omit<Page, "faults" | "asked" | "close"> {
  return {
    async evaluate(expression) {
      const { result, exceptionDetails } = await ask("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
      if (exceptionDetails !== undefined) throw new Error(JSON.stringify(exceptionDetails));
      return (result as Message).value; // a result is an object with its value
    },
    async press(key) {
      const code = { Tab: 9, Enter: 13, Escape: 27, End: 35, Home: 36, ArrowLeft: 37, ArrowUp: 38, ArrowDown: 40, F5: 116 }[key];
      const text = key.length === 1 ? key : key === "Enter" ? "\r" : undefined;
      const event = {
        key,
        ...(code === undefined ? {} : { code: key, windowsVirtualKeyCode: code }),
        ...(text === undefined ? {} : { text }),
      };
      await ask("Input.dispatchKeyEvent", { type: text === undefined ? "rawKeyDown" : "keyDown", ...event });
      await ask("Input.dispatchKeyEvent", { type: "keyUp", ...event });
    },
    async click(x, y) {
      const event = { x, y, button: "left", clickCount: 1 };
      for (const type of ["mouseMoved", "mousePressed", "mouseReleased"]) await ask("Input.dispatchMouseEvent", { ...event, type });
    },
    async wheel(x, y, pixels) {
      await ask("Input.dispatchMouseEvent", { type: "mouseWheel", x, y, deltaX: 0, deltaY: pixels });
    },
    async worked() {
      const { metrics } = await ask("Performance.getMetrics");
      const task = (metrics as readonly { readonly name: string; readonly value: number }[]).find(({ name }) => name === "TaskDuration");
      return (task?.value ?? 0) * 1_000;
    },
    async picture() {
      const { data } = await ask("Page.captureScreenshot", { format: "webp", quality: 70 });
      return Buffer.from(String(data), "base64");
    },
    async shot(whole = false) {
      const { data } = await ask("Page.captureScreenshot", { format: "png", captureBeyondViewport: whole });
      return Buffer.from(String(data), "base64");
    },
  };
}
