import { tablesOf } from "#runtime/languages/sql/tables.ts";
import { verbOf, wordAt } from "#runtime/languages/sql/tokens.ts";
import type { PlacedTouch } from "../5-analyse/capabilities/index.ts";
import type { Statement } from "./statements.ts";

/** Statements and operations that only read. */
const reading: ReadonlySet<string> = new Set([
  ...["select", "find", "findOne", "aggregate", "distinct", "countDocuments", "estimatedDocumentCount", "get"],
]);

/**
 * Touches that change something outside: a table, a state, a sent message, a command. A table that is only created if missing does not
 * count, because it is the same after every call. The record of the run does not count either.
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
