/** The introduction of a configuration in an API document: its name, and its own words. */
export interface Introduced {
  readonly name: string;
  readonly description?: string | undefined;
}

/**
 * A configuration of its own is the API; of several each is named, and those with words of their own have them below. They come in the
 * order of their names.
 */
export function introduction(all: readonly Introduced[]): string {
  const sorted = all.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const [only, ...more] = sorted;
  if (only !== undefined && more.length === 0) return only.description ?? `The interfaces of ${only.name}.`;
  const words = sorted.flatMap(({ name, description }) => (description === undefined ? [] : [`**${name}**: ${description}`]));
  return [`The interfaces of ${sorted.map(({ name }) => name).join(", ")}.`, ...words].join("\n\n");
}

/** The words of a tag: those of the configuration that it is called after. */
export function tagWords(tag: string, all: readonly Introduced[]): string {
  const config = all.find(({ name }) => name === tag);
  return config === undefined ? `The interfaces with the tag ${tag}.` : (config.description ?? `The interfaces of ${tag}.`);
}
