import { gated, passed, untested } from "./played/calls.ts";
import { failing, plays, refused, type Step, skipped } from "./played/play.ts";

// The calls of the README of flow-control: pauses, retries, branches, recovery and a quorum.

const pause = (ms: number) => untested({ delayed_ms: ms });
const branch = (does: string, body: Step["body"]): Pick<Step, "does" | "method" | "path" | "body"> => ({
  ...{ does, method: "POST", path: "/flow/branch" },
  ...(body === undefined ? {} : { body }),
});
const standard = (tier: string) => ({
  Classify: passed,
  PremiumPath: skipped(`tier::is_equal_to: expected target ${tier} not equal to premium`),
  StandardPath: untested({ path: "standard", perks: ["community_support"] }),
});
const unclassified = {
  PremiumPath: gated("Classify"),
  StandardPath: gated("Classify"),
};
const missing = "tier::is_not_null: expected to not be null";

plays({ pack: "flow-control" }, [
  {
    ...{ does: "paces steps", path: "/flow/throttle" },
    gives: {
      ...{ Step1: {}, Pace1: pause(300), Step2: {}, Pace2: pause(300), Step3: {} },
      Summary: untested({ throttled_steps: 3, first_pause_ms: 300, second_pause_ms: 300 }),
    },
  },
  {
    ...{ does: "falls back after all attempts", path: "/flow/retry" },
    gives: {
      CallUpstream: refused({ status: 503, body: null }, "upstream did not return 200 after retries"),
      Fallback: untested({ source: "fallback", note: "upstream unavailable after retries, served cached value" }),
    },
  },
  {
    ...branch("branches to one path", { tier: "premium" }),
    gives: {
      Classify: passed,
      PremiumPath: untested({ path: "premium", perks: ["priority_support", "higher_limits"] }),
      StandardPath: skipped("tier::is_not_equal_to: expected target premium equal to premium"),
    },
  },
  {
    ...branch("branches to the other path", { tier: "standard" }),
    gives: standard("standard"),
  },
  {
    ...branch("takes a list for another tier", { tier: ["premium"] }),
    gives: standard('["premium"]'),
  },
  {
    ...branch("takes markers and quotes for another tier", { tier: "a|env::PATH| \"'" }),
    gives: standard("a|env::PATH| \"'"),
  },
  { ...branch("refuses who has no tier", {}), status: 400, gives: { Classify: failing({}, missing), ...unclassified } },
  {
    ...branch("refuses an inherited name", { __proto__x: 1 }),
    status: 400,
    gives: { Classify: failing({ __proto__x: 1 }, missing), ...unclassified },
  },
  {
    ...branch("refuses a list", [{ tier: "premium" }]),
    status: 400,
    gives: { Classify: failing([{ tier: "premium" }], missing), ...unclassified },
  },
  { ...branch("refuses nothing at all", undefined), status: 400, gives: { Classify: failing(null, missing), ...unclassified } },
  {
    ...{ does: "recovers, cools down and finishes", path: "/flow/resilient" },
    gives: {
      Risky: refused({ ok: false }, "primary operation failed"),
      Recover: untested({ branch: "recovered", used_cache: true }),
      Cooldown: pause(250),
      Finalize: untested({ finalized: true }),
    },
  },
  {
    ...{ does: "goes on with two of three", path: "/flow/quorum" },
    gives: {
      ReplicaA: untested({ region: "us", value: 10 }),
      ReplicaB: untested({ region: "eu", value: 11 }),
      ReplicaC: refused({ region: "ap", value: null }, "replica returned no value"),
      Aggregate: untested({ quorum: "2 of 3", proceeded: true }),
    },
  },
]);
