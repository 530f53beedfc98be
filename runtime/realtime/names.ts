/** Longest name of a channel in bytes of UTF-8 (spec/surfaces 3). */
const longest = 256;

/** A name cut into its levels: each but the first begins with its separator, `:` or `/`. */
export type Levels = readonly string[];

/** The levels of a channel name, which has no wildcard. Undefined when the name is no channel. */
export const channelLevels = (name: string): Levels | undefined => (/[+#]/.test(name) ? undefined : levelsOf(name));

/**
 * The levels of a name for subscriptions: a channel, or a pattern in which `+` stands for one level and a last `#` for the rest. Undefined
 * when the name is neither.
 */
export function patternLevels(name: string): Levels | undefined {
  const levels = levelsOf(name);
  const isPattern = levels?.every((level, i) => !/[+#]/.test(level) || isOne(level) || (isRest(level) && i === levels.length - 1));
  return isPattern ? levels : undefined;
}

function levelsOf(name: string): Levels | undefined {
  if (name === "" || name.length > longest || name.startsWith("$") || /\p{Cc}/u.test(name) || !name.isWellFormed()) return undefined;
  if (Buffer.byteLength(name) > longest) return undefined;
  const levels = name.split(/(?=[:/])/);
  // The level before a first separator is empty.
  return /^[:/]/.test(name) ? ["", ...levels] : levels;
}

/** True for the level `+`. */
const isOne = (level: string): boolean => /^[:/]?\+$/.test(level);

/** True for the level `#`. */
const isRest = (level: string): boolean => /^[:/]?#$/.test(level);

export const isWildcard = (name: string): boolean => /[+#]/.test(name);

/** The level `+` with the separator of this level: a wildcard only matches a level with the same separator (spec/surfaces 3). */
export const oneBeside = (level: string): string => `${separatorOf(level)}+`;

/** The level `#` with the separator of this level, which matches this level and all after it. */
export const restBeside = (level: string): string => `${separatorOf(level)}#`;

const separatorOf = (level: string): string => /^[:/]/.exec(level)?.[0] ?? "";

/** True when `pattern` matches every channel that `channel` (a channel or a pattern) matches. */
export function covers(pattern: Levels, channel: Levels): boolean {
  for (const [i, level] of pattern.entries()) {
    const other = channel[i];
    // A last `#` also matches no level, so that it matches its parent.
    if (isRest(level)) return level === "#" || other === undefined || separatorOf(other) === separatorOf(level);
    if (other === undefined || isRest(other)) return false;
    if (isOne(level) ? separatorOf(level) !== separatorOf(other) : level !== other) return false;
  }
  return pattern.length === channel.length;
}

/** The reason why no message can be published to this name; undefined when it is a channel. */
export function nameProblem(name: string): string | undefined {
  if (isWildcard(name)) return `channel '${shown(name)}' holds a wildcard: + and # are for those who subscribe`;
  return channelLevels(name) === undefined ? `'${shown(name)}' is no channel` : undefined;
}

/** The start of a name, as an error quotes it. */
const shown = (name: string): string => JSON.stringify(name.slice(0, 64)).slice(1, -1);
