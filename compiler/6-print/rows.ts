import type { Expr } from "#runtime/plan/index.ts";
import { block as brackets, type Code, code, empty, list, lit, name, pair, property, spaces } from "./code.ts";
import { expr } from "./exprs.ts";
import type { ActionPlace } from "./place.ts";
import { membersOfColumns, type PlannedRowLoop } from "./row-loop.ts";
import { predicate } from "./tests.ts";

/** Prints the transforms of a loop as one call of `eachRow`; runtime/run/steps/rows.ts explains its parts. */
export function printRowLoop(loop: PlannedRowLoop, current: Code, p: ActionPlace): Code {
  const names = list(loop.ops.map((op) => lit(op.op === "filter" ? "filter" : op.use)));
  const parts = brackets("{", partsOf(loop, { ...p, indent: `${p.indent}  ` }), "}", p.indent);
  return code`${p.imports.use("eachRow")}(act, [${names}], ${current}, ${parts})`;
}

function partsOf(loop: PlannedRowLoop, p: ActionPlace): readonly Code[] {
  const parts: Code[] = [];
  if (!isFixed(loop)) parts.push(pair(code`added`, code`() => (${expr({ op: "map", entries: loop.added }, p)})`));
  if (loop.before.length > 0) parts.push(pair(code`before`, code`(item) =>${predicate(loop.before, p)}`));
  if (loop.columns !== undefined)
    parts.push(pair(code`columns`, lit([...loop.columns])), pair(code`literal`, literal(loop, loop.columns, p)));
  parts.push(pair(code`row`, anyRow(loop, p)));
  if (loop.after.length > 0) parts.push(pair(code`after`, code`(item) =>${predicate(loop.after, p)}`));
  return parts;
}

/** Prints `(row) => ({ id: row.id, given: row.first })` for rows whose columns are known. */
function literal(loop: PlannedRowLoop, columns: readonly string[], p: ActionPlace): Code {
  const members = new Map([...membersOfColumns(loop, columns)].map(([name, column]) => [name, member("row", column)]));
  for (const [name, value] of addedThatStay(loop))
    members.set(name, isFixed(loop) ? expr(value, p) : code`${member("added", name)} ?? null`);
  const object = brackets(
    "{",
    [...members].map(([name, value]) => pair(property(name), value)),
    "}",
    p.indent,
  );
  return code`${isFixed(loop) ? code`(row)` : code`(row, added)`} => (${object})`;
}

function anyRow(loop: PlannedRowLoop, p: ActionPlace): Code {
  const set = addedThatStay(loop);
  const body = [
    code`const out: pw.JsonObject = {};`,
    code`for (const key in row) {`,
    code`  switch (key) {`,
    ...cases(loop, p).map((line) => code`    ${line}`),
    code`  }`,
    code`}`,
    ...set.map(
      ([name, value]) => code`${member("out", name)} = ${isFixed(loop) ? expr(value, p) : code`${member("added", name)} ?? null`};`,
    ),
    code`return out;`,
  ];
  return arrow(isFixed(loop) || set.length === 0 ? code`(row)` : code`(row, added)`, body, p.indent);
}

const addedThatStay = ({ added, kept }: PlannedRowLoop): PlannedRowLoop["added"] =>
  added.filter(([name]) => kept === undefined || kept.has(name));

/** True when all added values are cheap, so that they can be evaluated again for every row. */
const isFixed = ({ added }: PlannedRowLoop): boolean => added.every(([, value]) => isCheap(value));

const isCheap = (value: Expr): boolean => value.op === "lit" && (typeof value.value !== "object" || value.value === null);

function cases({ fates, kept }: PlannedRowLoop, p: ActionPlace): Code[] {
  const stays = (name: string): boolean => kept === undefined || kept.has(name);
  const moved = [...fates].flatMap(([name, fate]) => {
    if (fate === "removed" || !stays("to" in fate ? fate.to : name)) return [];
    const to = "to" in fate ? fate.to : name;
    const condition = "to" in fate ? empty : code`if (!Object.hasOwn(row, ${lit(fate.unless)})) `;
    return [code`case ${lit(name)}: ${condition}${member("out", to)} = ${member("row", name)} ?? null; break;`];
  });
  if (kept !== undefined) {
    const plain = [...kept].filter((name) => !fates.has(name));
    return [...moved, ...plain.map((name) => code`case ${lit(name)}: ${member("out", name)} = ${member("row", name)} ?? null; break;`)];
  }
  const removed = [...fates].flatMap(([name, fate]) => (fate === "removed" ? [code`case ${lit(name)}:`] : []));
  return [
    ...moved,
    ...(removed.length === 0 ? [] : [code`${list(removed, " ")} break;`]),
    // Only the name `__proto__` needs care. A plain assignment for the other names is faster than a function that all loops share.
    code`case "__proto__": ${p.imports.use("putMember")}(out, key, row[key] ?? null); break;`,
    code`default: out[key] = row[key] ?? null;`,
  ];
}

function arrow(parameters: Code, body: readonly Code[], indent: string): Code {
  const text = list(
    body.map((line) => code`${spaces(indent)}  ${line}`),
    "\n",
  );
  return code`${parameters} => {\n${text}\n${spaces(indent)}}`;
}

const member = (object: "row" | "out" | "added", key: string): Code => {
  const word = property(key);
  if (word.startsWith("[")) return code`${name(object)}${word}`;
  return word.startsWith('"') ? code`${name(object)}[${word}]` : code`${name(object)}.${word}`;
};
