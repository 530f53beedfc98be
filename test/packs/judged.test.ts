import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { findConfigs, findModules } from "../../compiler/1-read/files.ts";
import { planAll } from "../../compiler/pipeline.ts";
import { sharedFolder } from "../harness/folders.ts";
import { packNames } from "./packs.ts";

// The warnings of `check` in the example packs, each judged by hand: a new warning has to be judged before it is added, and a false one is
// a mistake of ours. No pack has an error.

/** The expected diagnostics by code: their number, and the reason for them. */
const judged: Readonly<Record<string, readonly [count: number, why: string]>> = {
  PW120: [160, "request_example and response_example are older names"],
  PW416: [13, "a marker stands in the text of a query where a placeholder could"],
  PW408: [11, "an action counts, and nothing exposes metrics"],
  PW284: [3, "a key goes to the model's service in the query of the URL"],
  PW675: [2, "MQTT triggers without public, and no test of a token: any token will do"],
  PW690: [1, "the sockets of a public interface may name the channels of one with an authorizer"],
  PW111: [1, "public decides nothing for an interface that only HTTP reaches"],
  PW451: [2, "the body has no schema, and is_greater_than takes a text by its length"],
};

const folder = sharedFolder("packs");

test.skipIf(folder === undefined)("every warning in the packs is one that was judged", () => {
  const packs = packNames().map((name) => fileURLToPath(new URL(`${name}/`, folder)));
  const found = packs.flatMap((pack) => planAll(findConfigs(["."], pack), { modules: findModules(["."], pack) }).diagnostics);
  const counts = Object.entries(Object.groupBy(found, ({ code }) => code)).map(([code, all]) => [code, all?.length ?? 0] as const);
  const lines = counts.map(([code, count]) => `${count} ${code}: ${judged[code]?.[1] ?? "not judged"}`);
  console.log(`${found.length} warnings and notes in ${packs.length} packs, all true:\n  ${lines.join("\n  ")}`);
  expect(found.filter(({ severity }) => severity === "error")).toEqual([]);
  expect(Object.fromEntries(counts)).toEqual(Object.fromEntries(Object.entries(judged).map(([code, [count]]) => [code, count])));
});
