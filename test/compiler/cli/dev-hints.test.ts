import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { Hints } from "../../../compiler/cli/dev/hints.ts";

// Hints of the file system that something was saved: `dev` looks before its time has come.

const folder = mkdtempSync(join(tmpdir(), "pipewright-hints-"));
const file = join(folder, "a.yaml");
const never = new AbortController().signal;

/** Longer than any test may take. */
const hour = 3_600_000;

afterAll(() => rmSync(folder, { recursive: true }));

test("a save, a new configuration and an included file end the wait", async () => {
  writeFileSync(file, "");
  const included = join(folder, "q.sql");
  using hints = new Hints();
  hints.follow([file, included, join(folder, "gone", "b.yaml")]);
  for (const saved of [file, join(folder, "new.yml"), included]) {
    const waited = hints.wait(hour, never);
    writeFileSync(saved, "name: a\n");
    expect(await waited).toBe(true);
  }
});

test("a hint that came while nobody waited counts once, and the signal ends the wait", async () => {
  using hints = new Hints();
  hints.follow([file]);
  const first = hints.wait(hour, never);
  writeFileSync(file, "name: b\n");
  expect(await first).toBe(true);
  const ends = new AbortController();
  const second = hints.wait(hour, ends.signal);
  ends.abort();
  expect(await second).toBe(false);
});

test("files that cannot be ours give no hint", async () => {
  using hints = new Hints();
  hints.follow([file]);
  const waited = hints.wait(hour, never);
  let isOver = false;
  void waited.then(() => {
    isOver = true;
  });
  for (let n = 0; n < 50; n++) writeFileSync(join(folder, `service-${n}.db`), "x");
  // The system tells of these before it tells of what comes later.
  const other = new Hints();
  other.follow([join(folder, "last.db")]);
  const last = other.wait(hour, never);
  writeFileSync(join(folder, "last.db"), "x");
  await last;
  other[Symbol.dispose]();
  expect(isOver).toBe(false);
  writeFileSync(file, "name: c\n");
  expect(await waited).toBe(true);
});
