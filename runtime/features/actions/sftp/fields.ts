import { Failure } from "../../../value/failure.ts";

/** The base64 of a fingerprint, as `ssh-keygen -lf` shows it. */
export function fingerprintIn(hostKey: string): string {
  const text = /^SHA256:([A-Za-z0-9+/]{43})=?$/.exec(hostKey.trim())?.[1];
  if (text === undefined) throw new Failure("evaluation", "field host_key: expected SHA256: and 43 characters of base64");
  return text;
}

/** choice: characters of the longest path that common systems take. */
const longestPath = 4096;

export function pathOf(path: string | null, field: string): string {
  if (path === null || path === "")
    throw new Failure("evaluation", `field ${field}: expected a path, got ${path === null ? "null" : "none"}`);
  if (path.includes("\0") || path.length > longestPath) throw new Failure("evaluation", `field ${field}: not a path`);
  return path;
}
