import { describe, expect, test } from "vitest";
import { actions, filters, matchers, transforms } from "#generated/features.ts";
import type { AnalysedPlan } from "../../compiler/5-analyse/index.ts";
import { bundle } from "../../compiler/7-link/bundle.ts";
import { plannedFixture, printedFixture } from "../harness/compile.ts";
import { wantedFixtures } from "../harness/folders.ts";
import { sampled } from "../harness/rules/words.ts";
import { filesIn, smallLink } from "../harness/small-link.ts";

// Law `slim`: a bundle carries the features that its configs name, and of each only the code that runs (spec/decisions D4).

const summaries = [actions, filters, matchers, transforms].flatMap((table) => Object.values(table).map(({ summary }) => summary));

describe.each(sampled(wantedFixtures("interfaces"), 8))("%s", (name) => {
  const plan = plannedFixture(name);

  test.each(["printed", "walked"])("%s", async (how) => {
    const { code, files } = await smallLink(await printedFixture(name, { interpret: how === "walked" }));
    const carried = files.filter((file) => /^runtime\/features\/(?:transforms|matchers|actions|secret-stores)\//.test(file));
    expect(carried.filter((file) => !neededBy(plan.plans, file))).toEqual([]);
    // Only a link with a console has the files of the console.
    expect(files.filter((file) => file.startsWith("runtime/console/"))).toEqual([]);
    // Only a link that enforces a manifest has the code that reads manifests, and finds tables in queries.
    expect(files.filter((file) => /^runtime\/(?:enforce|languages\/sql)\//.test(file))).toEqual([]);
    expect(files.includes("runtime/walk/walk.ts")).toBe(how === "walked" || plan.plans.some(isWalked));
    expect(files.some((file) => file.startsWith("runtime/triggers/mqtt"))).toBe(
      plan.plans.some(({ uses }) => uses.protocols.includes("mqtt")),
    );
    expect(files.includes("runtime/features/actions/http/forward.ts")).toBe(
      plan.plans.some(({ interfaces }) => interfaces.some(({ uses }) => uses.streams)),
    );
    // The walker imports the table of filters, which has their summaries.
    if (!files.includes("runtime/walk/walk.ts")) expect(summaries.filter((summary) => code.includes(summary))).toEqual([]);
  });
});

test("there is something to be left out", () => {
  expect(summaries.length).toBeGreaterThan(50);
});

/** An application that mounts the configs of a link. */
const application = `
import { fastify } from "fastify";
import { pipewright } from "#runtime/fastify/index.ts";
import { configs } from "pipewright:configs";
const app = fastify();
await app.register(pipewright, { configs });
`;

test.each([
  ["a service", undefined],
  ["an application", application],
])("%s: Fastify and the plugin are carried by who uses them", async (name, entry) => {
  const module = await printedFixture("static");
  const { metafile, packages } = await bundle([module], { environment: "test", format: "esm", ...(entry === undefined ? {} : { entry }) });
  expect(packages.some((each) => each.name === "fastify")).toBe(name === "an application");
  expect(filesIn(metafile).includes("pipewright/runtime/fastify/mount.ts")).toBe(name === "an application");
  // The server and the program around it are of no use in an application.
  expect(filesIn(metafile).includes("pipewright/runtime/triggers/http-server.ts")).toBe(name === "a service");
});

const isWalked = ({ interfaces }: AnalysedPlan): boolean => interfaces.some((target) => target.disable_fastpath);

/** The files of an `http` action's exchange, which actions of cloud services use, too. */
const exchange = ["allowed-hosts", "charset", "decode", "event-stream", "exchange", "measured"].map((part) => `http/${part}`);

/**
 * True when the plans need this file. Feature `x` has the file `x.ts` and the files in the folder `x`. For databases the declared drivers
 * are needed, and the driver that may keep state, limits, runs and messages.
 */
function neededBy(plans: readonly AnalysedPlan[], file: string): boolean {
  const [, , kind = "", name = "", part] = file.replace(/\.ts$/, "").split("/");
  const uses = (feature: string): boolean =>
    plans.some(({ uses: { features } }) => Object.values(features).some((names: readonly string[]) => names.includes(feature)));
  // True when a rate limit or the capture is read at the start, so that its store is known only then.
  const isBound = /"(?:rate_limit|capture)"[:,]/.test(JSON.stringify(plans));
  const keeps =
    isBound ||
    plans.some(
      ({ uses: { store, durable, schedules, detaches, protocols } }) => store || durable || schedules || detaches || protocols.length > 0,
    );
  const drivers = [...plans.flatMap((plan) => plan.uses.drivers), ...(keeps ? ["postgres"] : [])];
  if (kind === "actions" && name === "database")
    return (
      part === undefined || !/^(?:sqlite|postgres|mysql|mssql|mongodb)/.test(part) || drivers.some((driver) => part.startsWith(driver))
    );
  const stores = plans.flatMap(({ secrets }) => secrets.map((secret): string => secret.kind));
  if (kind === "secret-stores") return stores.includes(name);
  // Vaults and models are called with the code of the `http` action.
  if (uses(name) || (name === "http" && (uses("agent") || stores.includes("vault")))) return true;
  const isOfAws = uses("aws") || stores.includes("aws-kms") || plans.some((plan) => plan.uses.parts.includes("ses"));
  if ((isOfAws || uses("google")) && exchange.includes(`${name}/${part}`)) return true;
  // A profile may name a command that prints credentials.
  return isOfAws && ((name === "aws" && part !== undefined) || (name === "command" && part === "process"));
}
