/**
 * Parses without a trace: where the environment has LOG_STREAM or LOG_TOKENS, the library of YAML writes all that it reads to the standard
 * output. Users have variables of these names for purposes of their own, and a file may hold secrets. For as long as the parser runs, which
 * is in one go, the process has no variables. The library asks for one at each token, which took it a fourth of its time.
 */
export function untraced<Parsed>(parse: () => Parsed): Parsed {
  // A browser has no environment.
  const { process }: { readonly process?: NodeJS.Process } = globalThis;
  if (process === undefined) return parse();
  const { env } = process;
  process.env = {};
  try {
    return parse();
  } finally {
    process.env = env;
  }
}
