import { expect, it } from "vitest";
import { parse } from "yaml";
import type { CapturedRun } from "#runtime/capture/recording.ts";
import { noTestOf, recordedTest } from "#runtime/console/recorded-test.ts";

// A recorded run that has waited, or that no test can begin, as a contract test.

const record: CapturedRun = {
  ...{ run_uuid: "0b6c1c1e-0000-4000-8000-000000000000", parent: null, config: "shop", interface: "order", trigger: "http" },
  ...{ started: "2026-01-01T00:00:00.000Z", ms: 1, status: 200, actions: [] },
  request: { params: {}, headers: {}, body: null },
};

it("what came for actions that wait is given, and the answer is that of a run that waits", () => {
  const data = { body: { ok: true }, headers: { "x-by": "ada" }, received_at: "2026-01-01T00:00:00.000Z" };
  const text = recordedTest({
    ...record,
    actions: [
      { name: "Ask", status: "succeeded", ms: 1, data },
      { name: "Shaped", status: "succeeded", ms: 1, input: { ...data, headers: {} }, data: 1 },
      { name: "Late", status: "failed", ms: 1, error: "callback timed out" },
      { name: "Other", status: "succeeded", ms: 1, data: { body: 1 } },
    ],
  });
  const [test] = parse(text).tests;
  expect(test.given.callbacks).toEqual({
    Ask: { body: { ok: true }, headers: { "x-by": "ada" } },
    Shaped: { body: { ok: true } },
    Late: { late: true },
  });
  expect(test.expect.status).toBe(202);
  expect(text).toContain("stubs of calls before the wait are missing");
});

it("a body that a test cannot send is named", () => {
  const headers = { "content-type": "multipart/form-data; boundary=x" };
  const text = recordedTest({ ...record, request: { params: {}, headers, body: { a: "1" } } });
  expect(parse(text).tests[0].given).toEqual({ clock: record.started });
  expect(text).toContain("# The body was multipart/form-data; boundary=x, which");
});

it("a handler of failures is no test", () => {
  expect(noTestOf({ trigger: "on_error" })).toBe("a test cannot begin a run by on_error: export the run that has led to it");
  expect(noTestOf({ trigger: "mcp" })).toBeUndefined();
});
