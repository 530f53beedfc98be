import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { beginBundle } from "../../../compiler/7-link/begun-bundle.ts";
import { bundle } from "../../../compiler/7-link/bundle.ts";
import { printed } from "./printed-config.ts";

// Bundles that are begun before their modules are printed.

const names = ["posts", "users", "comments"];
const files = names.map((name) => printed(name).file);

test("a bundle whose modules come one by one is that of all of them", async () => {
  const docs = JSON.stringify({ openapi: "3.1.0", info: {}, tags: [], paths: {} });
  using begun = await beginBundle("staging");
  await begun.reads;
  const bundling = begun.expect({ files, docs });
  for (const name of names) {
    begun.add(printed(name));
    await setImmediate();
  }
  const modules = names.toReversed().map((name) => printed(name));
  const whole = await bundle(modules, { environment: "staging", format: "cjs", docs });
  const { code, map, packages } = await bundling;
  expect(code).toBe(whole.code);
  expect(map).toBe(whole.map);
  expect(packages).toEqual(whole.packages);
});

test("the console is made of all modules", async () => {
  using begun = await beginBundle("staging");
  const seen: string[] = [];
  const bundling = begun.expect({
    files,
    docs: undefined,
    shown: async (modules) => {
      seen.push(...modules.map(({ file }) => file));
      return { parts: { page: "", style: "", script: "" }, facts: { map: [], pages: ["the facts of a console"] } };
    },
  });
  for (const name of names) begun.add(printed(name));
  expect((await bundling).code).toContain("the facts of a console");
  expect(seen).toEqual(files.toSorted());
});

test("a bundle that is given up ends, with or without some of its modules", async () => {
  const ends: Promise<unknown>[] = [];
  for (const count of [undefined, 0, 2]) {
    using begun = await beginBundle("staging");
    await begun.reads;
    if (count === undefined) continue;
    ends.push(expect(begun.expect({ files, docs: undefined })).rejects.toThrow("nothing more was printed"));
    for (const name of names.slice(0, count)) begun.add(printed(name));
  }
  await Promise.all(ends);
});

test("a module of a file that was not expected is refused", async () => {
  using begun = await beginBundle("staging");
  const bundling = begun.expect({ files, docs: undefined });
  expect(() => begun.add(printed("others"))).toThrow("api/others.yml is no file of the link");
  for (const name of names) begun.add(printed(name));
  await bundling;
});
