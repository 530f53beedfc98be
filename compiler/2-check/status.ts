import { get, type Node, numberOf } from "../1-read/document.ts";
import { sources } from "../diagnostics/codes/actions.ts";
import type { Report } from "../diagnostics/diagnostic.ts";

/** A status of an answer, where one is written. A status below 200 only announces another one, and no answer can end with it (PW490). */
export function statusOf(node: Node | undefined, key: string, report: Report): number | undefined {
  const value = get(node, key);
  const status = numberOf(value);
  if (value !== undefined && status !== undefined && status < 200)
    report(sources.canOnlyFail(key, `no answer ends with ${status}`, "write 200 to 599; the answer is 500 instead"), value.span);
  return status;
}
