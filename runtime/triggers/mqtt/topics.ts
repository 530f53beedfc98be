/** Longest topic name or filter in bytes (MQTT 4.7.3). */
const longest = 65_535;

/** Levels of a name or filter: `a//b` has an empty one in the middle. */
export const levelsOf = (topic: string): readonly string[] => topic.split("/");

/** Deepest topic: routing walks a tree of its levels. */
const mostLevels = 128;

/** True for a topic that a message may be published to: a text of its own, without wildcards (MQTT 4.7). */
export const isTopicName = (topic: string): boolean => isText(topic) && !/[+#]/.test(topic);

const isText = (topic: string): boolean =>
  topic !== "" && !topic.includes("\0") && Buffer.byteLength(topic) <= longest && levelsOf(topic).length <= mostLevels;

/** The filter of a subscription. The `group` is that of a shared subscription: each message goes to one of its members. */
export interface TopicFilter {
  /** As the client has written it. */
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

/** Topics that begin with `$` are those of the server: a wildcard at the first level does not match them [MQTT-4.7.2-1]. */
const isHidden = (topic: string | undefined, pattern: string | undefined): boolean =>
  topic?.startsWith("$") === true && (pattern === "+" || pattern === "#");

/** Whether a filter matches a topic; `#` matches the level above it, too. */
export function matches(filter: readonly string[], topic: readonly string[]): boolean {
  if (isHidden(topic[0], filter[0])) return false;
  for (const [i, level] of filter.entries()) {
    if (level === "#") return topic.length >= i;
    if (topic[i] === undefined || (level !== "+" && level !== topic[i])) return false;
  }
  return filter.length === topic.length;
}

/** Whether some topic matches both filters. */
export function overlap(left: readonly string[], right: readonly string[]): boolean {
  if (isHidden(left[0], right[0]) || isHidden(right[0], left[0])) return false;
  for (let i = 0; ; i++) {
    const [a, b] = [left[i], right[i]];
    // A `#` also matches nothing, so the level where the filter ends is matched, too.
    if (a === "#" || b === "#") return true;
    if (a === undefined || b === undefined) return a === b;
    if (a !== b && a !== "+" && b !== "+") return false;
  }
}
