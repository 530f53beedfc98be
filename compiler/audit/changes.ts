import { tablesOf } from "#runtime/languages/sql/tables.ts";
import { verbOf, wordAt } from "#runtime/languages/sql/tokens.ts";
import type { PlacedTouch } from "../5-analyse/capabilities/index.ts";
import type { Statement } from "./statements.ts";

/** Statements and operations that only read. */
const reading: ReadonlySet<string> = new Set([
  ...["select", "find", "findOne", "aggregate", "distinct", "countDocuments", "estimatedDocumentCount", "get"],
]);

/**
 * Touches after which something is different: a table, a state, a message that was sent, a command that ran. A table that is made where it
 * is missing is the same after every call, so that no caller changes something by it; nor does one by the record of the run.
 */
export function changesAmong(touches: readonly PlacedTouch[], statements: readonly Statement[]): readonly PlacedTouch[] {
  return touches.filter((touch) => {
    const { kind, verb = "", name, at, isRecord } = touch;
    if (isRecord) return false;
    if (kind !== "tables" && kind !== "state") return ["commands", "channels", "topics", "mail_recipients"].includes(kind);
    if (reading.has(verb)) return false;
    const makers = statements.filter((each) => each.at === at && creates(each, name));
    return kind !== "tables" || verb !== "create" || makers.length === 0 || !makers.every(isUnlessThere);
  });
}

const creates = ({ tokens, speaks }: Statement, name: string): boolean =>
  tablesOf(tokens, speaks).some(({ table, verb }) => verb === "create" && table === name);

const isUnlessThere = ({ tokens }: Statement): boolean =>
  verbOf(tokens) === "create" && tokens.some((_, at) => ["if", "not", "exists"].every((word, i) => wordAt(tokens, at + i) === word));
