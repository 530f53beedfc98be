import type { Config, Target } from "../../run/interface.ts";
import { hasWildcard, levelsOf, overlap, type TopicFilter } from "./topics.ts";

/** An interface with an MQTT trigger. */
export interface Trigger extends Target {
  /** The topic, `<environment>/<interface>/<marker>`. */
  readonly topic: string;
  /** The levels of `<environment>/<interface>`. */
  readonly above: readonly string[];
}

/** The topics of interfaces (spec/surfaces 4). */
export class TriggerTopics {
  readonly #byTopic = new Map<string, Trigger>();
  readonly #all: readonly Trigger[];

  constructor(configs: readonly Config[], environment: string) {
    for (const config of configs) {
      for (const target of config.interfaces) {
        if (target.mqtt === undefined) continue;
        const above = `${environment}/${target.name}`;
        const topic = `${above}/${target.mqtt}`;
        this.#byTopic.set(topic, { config, interface: target, topic, above: levelsOf(above) });
      }
    }
    this.#all = [...this.#byTopic.values()];
  }

  /** The interface that a message to the topic runs. */
  at(topic: string): Trigger | undefined {
    return this.#byTopic.get(topic);
  }

  /** True when a client without a credential may connect. */
  get hasPublic(): boolean {
    return this.#all.some(isPublic);
  }

  /** Interfaces with an authorizer that have a topic which the filter may match; all topics below their names belong to them. */
  guarding({ levels }: TopicFilter): readonly Trigger[] {
    return this.#all.filter(
      ({ interface: target, above }) => target.subscribe_authorizer !== undefined && overlap(levels, [...above, "#"]),
    );
  }

  /** True for a filter that stays inside public interfaces: exactly the topic of one, or a wildcard below its name. */
  isPublic(filter: TopicFilter): boolean {
    if (!hasWildcard(filter)) {
      const trigger = this.at(filter.levels.join("/"));
      return trigger !== undefined && isPublic(trigger);
    }
    const isInside = this.#all.some((trigger) => isPublic(trigger) && isBelow(filter, trigger));
    // The name of an interface may begin with that of another: `board/staff` beside `board`.
    return isInside && !this.#all.some((trigger) => !isPublic(trigger) && overlap(filter.levels, [...trigger.above, "+", "#"]));
  }

  /** True for a filter that stays below the name of an interface with an authorizer. */
  isGuarded(filter: TopicFilter): boolean {
    return this.guarding(filter).some((trigger) => isBelow(filter, trigger));
  }
}

const isPublic = ({ interface: target }: Trigger): boolean => target.public === true;

const isBelow = ({ levels }: TopicFilter, { above }: Trigger): boolean =>
  levels.length > above.length && above.every((level, i) => levels[i] === level);
