import { expect, test } from "vitest";
import { commandSettings } from "../../../compiler/cli/settings.ts";

test.each([
  ["PIPEWRIGHT_LOG_LEVLE", "PIPEWRIGHT_LOG_LEVEL"],
  ["PIPEWRIGHT_MAX_BODY", "PIPEWRIGHT_MAX_BODY_BYTES"],
  ["pipewright_env", "PIPEWRIGHT_ENV"],
])("%s is nearly a setting", async (name, meant) => {
  expect((await commandSettings({}, { [name]: "x" })).warnings).toEqual([`${name} is no setting (did you mean ${meant}?)`]);
});

test.each(["PIPEWRIGHT_LOG_LEVEL", "PIPEWRIGHT_OTEL_HDR_NAM", "PIPEWRIGHT_WORKER", "PIPEWRIGHT_OWN_THING", "OTHER"])(
  "%s is none",
  async (name) => {
    expect((await commandSettings({}, { [name]: "info" })).warnings).toEqual([]);
  },
);
