import type { Host } from "../../process/host.ts";
import { covers, type Levels, patternLevels } from "../../realtime/names.ts";
import type { Target } from "../../run/interface.ts";
import { LiveRun } from "../../run/live-run.ts";
import { Recent } from "../../value/recent.ts";
import { authorize } from "../authorize.ts";
import type { Visitor } from "./visitor.ts";

/** The right for which an authorizer is asked (spec/surfaces 3). */
export type Right = "subscribe" | "presence" | "publish";

/** Milliseconds for which an answer is valid, at most until the token expires. */
const fresh = 60_000;

/** The most answers that are kept for one connection. */
const mostAnswers = 1_000;

export interface RightsOptions {
  readonly host: Host;
  readonly visitor: Visitor;
  /** The interface to which the visitor is connected, in its current version. */
  readonly served: () => Target;
  /** Milliseconds within which an authorizer must answer. */
  readonly patience: number;
  /** The channels that a client without a credential may use. */
  readonly publicChannels: readonly Levels[];
}

/** The rights of a connection on channels (spec/surfaces 3). */
export class Rights {
  readonly #options: RightsOptions;
  readonly #answers = new Recent<{ readonly granted: boolean; readonly until: number }>(mostAnswers);

  constructor(options: RightsOptions) {
    this.#options = options;
  }

  /** Checks a right. `enters` is true when the visitor wants to be present, not only to look. A pattern is checked as it is written. */
  async has(right: Right, channel: string, enters = false): Promise<boolean> {
    const { visitor, served } = this.#options;
    const target = served().interface;
    if (right === "publish" && visitor.hasKey) return true;
    const isNobody = !visitor.hasKey && visitor.token === undefined;
    if (isNobody && !this.#isPublic(channel)) return false;
    if (target.subscribe_authorizer === undefined) {
      if (visitor.hasKey || visitor.isVerified) return true;
      return right !== "publish" && !enters && this.#isPublic(channel);
    }
    if (isNobody && target.public !== true) return false;
    return right === "subscribe" ? this.#ask(right, channel) : this.#remembered(right, channel);
  }

  #isPublic(channel: string): boolean {
    const levels = patternLevels(channel);
    return levels !== undefined && this.#options.publicChannels.some((pattern) => covers(pattern, levels));
  }

  async #remembered(right: Right, channel: string): Promise<boolean> {
    const { host, visitor } = this.#options;
    const key = `${right} ${channel}`;
    const answer = this.#answers.get(key);
    if (answer !== undefined && host.now() < answer.until) return answer.granted;
    const granted = await this.#ask(right, channel);
    this.#answers.set(key, { granted, until: Math.min(host.now() + fresh, visitor.expires ?? Number.POSITIVE_INFINITY) });
    return granted;
  }

  /** Runs the authorizer: only a status of 2xx grants the right. */
  #ask(op: Right, channel: string): Promise<boolean> {
    const { host, visitor, served, patience } = this.#options;
    const { config, interface: asking } = served();
    const target = config.interfaces.find(({ name }) => name === asking.subscribe_authorizer);
    if (target === undefined) return Promise.resolve(false);
    const run = new LiveRun(host, config, target, visitor.request("authorizer", { channel, op }));
    return authorize(run, visitor.caller, patience);
  }
}
