/** The most bytes of a topic name or filter (MQTT 4.7.3). */
const longest = 65_535;

/** Levels of a name or filter: `a//b` has an empty one in the middle. */
export const levelsOf = (topic: string): readonly string[] => topic.split("/");

/** The most levels of a topic, because routing walks a tree of its levels. */
const mostLevels = 128;

/** True for a topic to which a message may be published: a valid text without wildcards (MQTT 4.7). */
export const isTopicName = (topic: string): boolean => isText(topic) && !/[+#]/.test(topic);

const isText = (topic: string): boolean =>
  topic !== "" && !topic.includes("\0") && Buffer.byteLength(topic) <= longest && levelsOf(topic).length <= mostLevels;

/** The filter of a subscription. In a shared subscription with this `group`, each message goes to one of the members. */
export interface TopicFilter {
  /** The filter as the client has written it. */
  readonly text: string;
  readonly levels: readonly string[];
  readonly group?: string;
}

/** The filter of a text; undefined when it is not well formed (MQTT 4.7.1, 4.8.2). */
export function parseFilter(text: string): TopicFilter | undefined {
  if (!isText(text)) return undefined;
  const all = levelsOf(text);
  const isShared = all[0] === "$share";
  const group = all[1] ?? "";
  if (isShared && (group === "" || /[+#]/.test(group) || all.slice(2).join("/") === "")) return undefined;
  const levels = isShared ? all.slice(2) : all;
  const isWell = levels.every((level, i) => level === "+" || (level === "#" && i === levels.length - 1) || !/[+#]/.test(level));
  if (!isWell) return undefined;
  return isShared ? { text, levels, group } : { text, levels };
}

/** True when the filter has a wildcard, so that it may match more than one topic. */
export const hasWildcard = ({ levels }: TopicFilter): boolean => levels.some((level) => level === "+" || level === "#");

/**
 * True for a topic of the server, which begins with `$`, and a wildcard at the first level: such a wildcard does not match it
 * [MQTT-4.7.2-1].
 */
const isHidden = (topic: string | undefined, pattern: string | undefined): boolean =>
  topic?.startsWith("$") === true && (pattern === "+" || pattern === "#");

/** True when a filter matches a topic; `#` also matches the level above it. */
export function matches(filter: readonly string[], topic: readonly string[]): boolean {
  if (isHidden(topic[0], filter[0])) return false;
  for (const [i, level] of filter.entries()) {
    if (level === "#") return topic.length >= i;
    if (topic[i] === undefined || (level !== "+" && level !== topic[i])) return false;
  }
  return filter.length === topic.length;
}

/** True when some topic matches both filters. */
export function overlap(left: readonly string[], right: readonly string[]): boolean {
  if (isHidden(left[0], right[0]) || isHidden(right[0], left[0])) return false;
  for (let i = 0; ; i++) {
    const [a, b] = [left[i], right[i]];
    // A `#` also matches no level, so that the level at which the filter ends matches, too.
    if (a === "#" || b === "#") return true;
    if (a === undefined || b === undefined) return a === b;
    if (a !== b && a !== "+" && b !== "+") return false;
  }
}
