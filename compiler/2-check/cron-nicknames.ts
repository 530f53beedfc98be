/** Names of other schedulers for a rule of five fields. */
const nicknames: Readonly<Record<string, string>> = {
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
  "@monthly": "0 0 1 * *",
  "@weekly": "0 0 * * 0",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@hourly": "0 * * * *",
};

/** The rule that a nickname such as `@daily` stands for; undefined for any other text. */
export const cronOf = (text: string): string | undefined => (Object.hasOwn(nicknames, text.trim()) ? nicknames[text.trim()] : undefined);
