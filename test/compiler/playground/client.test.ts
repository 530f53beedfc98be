import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Compiler, type Outcome, times } from "../../../templates/playground/client.ts";
import type { Answer, Compiled, Question } from "../../../templates/playground/compiled.ts";

// The page and its worker: one text at a time, of those that wait only the last, and an end for what takes too long.

class Scripted extends EventTarget {
  static readonly all: Scripted[] = [];
  readonly asked: Question[] = [];
  isEnded = false;

  constructor() {
    super();
    Scripted.all.push(this);
  }

  postMessage(question: Question): void {
    this.asked.push(question);
  }

  terminate(): void {
    this.isEnded = true;
  }

  say(answer: Answer): void {
    this.dispatchEvent(Object.assign(new Event("message"), { data: answer }));
  }
}

const compiled: Compiled = { diagnostics: [], summary: "", modules: [], graphs: [], unproven: 0, filters: 0, pages: {} };
const files = (text: string) => [["a.yaml", text]] as const;
let told: Outcome[] = [];
let compiler: Compiler;

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("Worker", Scripted);
  vi.stubGlobal("location", { protocol: "http:" });
  Scripted.all.length = 0;
  told = [];
  compiler = new Compiler("worker.js", (outcome) => told.push(outcome));
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const worker = (n: number): Scripted => Scripted.all[n] ?? expect.fail(`no worker ${n}`);
const textsOf = (n: number) => worker(n).asked.map((each) => each.files[0]?.[1]);

test("what comes while it works waits, and only the last of it is compiled", () => {
  compiler.compile(files("1"));
  worker(0).say({ ready: true });
  compiler.compile(files("2"));
  compiler.compile(files("3"));
  expect(textsOf(0)).toEqual(["1"]);
  worker(0).say({ id: 1, compiled });
  expect(textsOf(0)).toEqual(["1", "3"]);
  worker(0).say({ id: 2, broken: "a bug" });
  expect(told.map(({ is }) => is)).toEqual(["compiled", "broken"]);
});

test("a text that takes too long ends its worker, and the next one gets another", () => {
  compiler.compile(files("long"));
  worker(0).say({ ready: true });
  vi.advanceTimersByTime(times.compile - 1);
  expect(told).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(told).toEqual([{ is: "stopped" }]);
  expect(worker(0).isEnded).toBe(true);
  // Messages of the ended worker count for nothing.
  worker(0).say({ id: 1, compiled });
  expect(told).toHaveLength(1);
  compiler.compile(files("short"));
  worker(1).say({ ready: true });
  expect(textsOf(1)).toEqual(["short"]);
});

test("what came while a worker was stuck is compiled by the next", () => {
  compiler.compile(files("long"));
  worker(0).say({ ready: true });
  compiler.compile(files("short"));
  vi.advanceTimersByTime(times.compile);
  worker(1).say({ ready: true });
  expect(textsOf(1)).toEqual(["short"]);
});

test("a worker that does not load is told, from a file with what to do", () => {
  compiler.compile(files("1"));
  worker(0).dispatchEvent(new Event("error"));
  vi.stubGlobal("location", { protocol: "file:" });
  compiler.compile(files("2"));
  worker(1).dispatchEvent(new Event("error"));
  compiler.compile(files("3"));
  vi.advanceTimersByTime(times.start);
  expect(told).toEqual([
    { is: "broken", reason: "the compiler could not be loaded" },
    { is: "broken", reason: expect.stringContaining("serve the folder") },
    { is: "broken", reason: "the compiler could not be loaded" },
  ]);
});
