/** Variables of the environment by which the library of YAML writes all that it reads to the standard output. */
const traces = ["LOG_STREAM", "LOG_TOKENS"];

/**
 * Parses without a trace. Users have variables of these names for purposes of their own, and what is read may hold secrets: for as long as
 * the parser runs, which is in one go, the library does not see them.
 */
export function untraced<Parsed>(parse: () => Parsed): Parsed {
  // A browser has no environment.
  const { process }: { readonly process?: NodeJS.Process } = globalThis;
  const set = traces.flatMap((name) => {
    const value = process?.env[name];
    return value === undefined ? [] : [{ name, value }];
  });
  if (process === undefined || set.length === 0) return parse();
  for (const { name } of set) delete process.env[name];
  try {
    return parse();
  } finally {
    for (const { name, value } of set) process.env[name] = value;
  }
}
