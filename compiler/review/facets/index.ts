import type { Facet } from "../fact.ts";
import { actions } from "./actions.ts";
import { calls } from "./calls.ts";
import { checks } from "./checks.ts";
import { contract } from "./contract.ts";
import { exposure } from "./exposure.ts";
import { policy } from "./policy.ts";
import { reach } from "./reach.ts";
import { config, docs, settings } from "./settings.ts";

/** Every side of a configuration that a review compares. */
export const facets: readonly Facet[] = [exposure, policy, checks, reach, contract, actions, calls, settings, config, docs];
