import { versionRange } from "../../languages/version-range.ts";
import type { Verdict } from "../../run/verdict.ts";
import { onlyTypes } from "../../shapes/passing.ts";
import { Reject } from "../../value/failure.ts";
import type { Json } from "../../value/json.ts";
import { show } from "../../value/show.ts";
import { detail } from "../../value/target.ts";
import type { Matcher } from "../feature.ts";

interface Ready {
  readonly source: string;
  readonly holds: (version: string) => boolean;
}

/** Stage 1: what is no range is PW114. */
export function prepare(source: string): Ready {
  const holds = versionRange(source);
  if (holds === undefined) throw new Reject("PW114", `'semver_matches': expected a range such as >=1.2.0, got '${show(source)}'`);
  return { source, holds };
}

/**
 * The target is a string that holds a version within the range. A pre-release, such as `1.2.3-beta.1`, fits only a range that itself names
 * a pre-release of that version.
 */
export function semver_matches(target: Json, { source, holds }: Ready): Verdict {
  return (typeof target === "string" && holds(target)) || detail`expected target ${target} not satisfying ${source}`;
}

export const spec: Matcher<string, Ready> = {
  summary: "The version lies within a range.",
  typed: true,
  schema: { type: "string", description: "Range of versions (semver), such as `^1.2.3`, `>=2 <4` or `1.x || 2.x`." },
  prepare,
  run: semver_matches,
  describe: (range) => ({ type: "string", description: `A version that satisfies ${show(range)}.` }),
  shape: /* @__PURE__ */ onlyTypes("string"),
};
