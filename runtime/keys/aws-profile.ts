/** The settings of one section of an AWS file of credentials or configuration; undefined when there is no such section. */
export function profileOf(text: string, profile: string): Readonly<Record<string, string>> | undefined {
  const settings = new Map<string, string>();
  let isInside = false;
  let exists = false;
  for (const line of text.split(/\r?\n/)) {
    const section = /^\s*\[\s*(?:profile\s+)?([^\]]+?)\s*\]/.exec(line)?.[1];
    if (section !== undefined) {
      isInside = section === profile;
      exists ||= isInside;
      continue;
    }
    // An indented line belongs to a nested setting of another kind.
    const [, name, value] = /^([A-Za-z0-9_]+)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    if (isInside && name !== undefined && value !== undefined) settings.set(name.toLowerCase(), value);
  }
  return exists ? Object.fromEntries(settings) : undefined;
}
