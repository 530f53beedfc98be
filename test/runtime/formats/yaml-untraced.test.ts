import { afterEach, describe, expect, test, vi } from "vitest";
import { ownFile, readYaml } from "#runtime/formats/yaml.ts";
import { untraced } from "#runtime/formats/yaml-untraced.ts";

// The library of YAML writes what it reads where the environment has these variables.

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

describe.each(["LOG_STREAM", "LOG_TOKENS"])("%s", (name) => {
  test("shows nothing of a file that is read, and stays set", () => {
    vi.stubEnv(name, "group/stream");
    const written = [vi.spyOn(console, "dir"), vi.spyOn(console, "log")].map((spy) => spy.mockImplementation(() => undefined));
    expect(readYaml("KEY: a secret\n", ownFile)).toEqual({ value: { KEY: "a secret" } });
    for (const spy of written) expect(spy).not.toHaveBeenCalled();
    expect(process.env[name]).toBe("group/stream");
  });

  test("stays set when a parser fails", () => {
    vi.stubEnv(name, "on");
    const fail = (): never => {
      throw new Error(`sees ${process.env[name]}`);
    };
    expect(() => untraced(fail)).toThrow("sees undefined");
    expect(process.env[name]).toBe("on");
  });
});
