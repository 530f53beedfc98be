import { expect, test } from "vitest";
import { listening } from "#runtime/process/server.ts";

const record = (address?: string) =>
  listening("http://127.0.0.1:4111", address === undefined ? {} : { address }, { environment: "staging" }, []);

test.each([
  [undefined, "0.0.0.0"],
  ["0.0.0.0", "0.0.0.0"],
  ["::", "::"],
])("with the address %s others reach the process, and the log says so", (address, said) => {
  expect(record(address)).toEqual({ url: "http://127.0.0.1:4111", address: said, environment: "staging", configs: [] });
});

test.each(["127.0.0.1", "::1", "10.0.0.5"])("the address %s is that of the url", (address) => {
  expect(record(address)).toEqual({ url: "http://127.0.0.1:4111", environment: "staging", configs: [] });
});
