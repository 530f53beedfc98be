import Range from "semver/classes/range.js";

/** choice: characters of a range; those of packages are far below. */
const longest = 256;

/** Makes a function that says whether a version (SemVer 2.0.0) lies in a range; undefined when the text is no range. */
export function versionRange(text: string): ((version: string) => boolean) | undefined {
  // An empty range would allow every version: its author has probably left something out.
  if (text.trim() === "" || text.length > longest) return undefined;
  try {
    const range = new Range(text);
    return (version) => range.test(version);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}
