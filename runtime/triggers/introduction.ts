/** The introduction of a configuration in an API document: its name, and its description. */
export interface Introduced {
  readonly name: string;
  readonly description?: string | undefined;
}

/**
 * The description of an API document. A single configuration gives its own description. Several configurations are listed by name, in
 * order, and then each description follows the name of its configuration.
 */
export function introduction(all: readonly Introduced[]): string {
  const sorted = all.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const [only, ...more] = sorted;
  if (only !== undefined && more.length === 0) return only.description ?? `The interfaces of ${only.name}.`;
  const words = sorted.flatMap(({ name, description }) => (description === undefined ? [] : [`**${name}**: ${description}`]));
  return [`The interfaces of ${sorted.map(({ name }) => name).join(", ")}.`, ...words].join("\n\n");
}

/** The description of a tag: that of the configuration with the tag's name. */
export function tagWords(tag: string, all: readonly Introduced[]): string {
  const config = all.find(({ name }) => name === tag);
  return config === undefined ? `The interfaces with the tag ${tag}.` : (config.description ?? `The interfaces of ${tag}.`);
}
