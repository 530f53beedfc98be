import { BSON } from "mongodb";

// The part of MongoDB's semantics that our tests need, over documents that keep their BSON types: conditions, changes and the usual stages.

export type Doc = Record<string, unknown>;

/** A value for comparing and counting: numbers of all types become numbers, and other typed values become their Extended JSON. */
function plain(value: unknown): unknown {
  if (value === null || value === undefined) return null;
  if (Array.isArray(value)) return value.map(plain);
  if (value instanceof Date) return value.getTime();
  if (typeof value !== "object") return value;
  const tag = Reflect.get(value, "_bsontype");
  if (tag === "Int32" || tag === "Double" || tag === "Long") return Number(value.valueOf());
  if (tag !== undefined) return BSON.EJSON.stringify({ v: value });
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plain(item)]));
}

const same = (a: unknown, b: unknown): boolean => JSON.stringify(plain(a)) === JSON.stringify(plain(b));

const isDoc = (value: unknown): value is Doc =>
  typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;

function at(document: unknown, path: string): unknown {
  let value = document;
  for (const step of path.split(".")) value = isDoc(value) || Array.isArray(value) ? Reflect.get(value, step) : undefined;
  return value;
}

function put(document: Doc, path: string, value: unknown): void {
  const steps = path.split(".");
  const last = steps.pop() ?? "";
  let inner: Doc = document;
  for (const step of steps) {
    if (!isDoc(inner[step])) inner[step] = {};
    inner = inner[step] as Doc; // made on the line above
  }
  if (value === undefined) delete inner[last];
  else inner[last] = value;
}

const compared = (a: unknown, b: unknown): number => {
  const [x, y] = [plain(a), plain(b)];
  if (typeof x === "number" && typeof y === "number") return x - y;
  return String(x) < String(y) ? -1 : String(x) > String(y) ? 1 : 0;
};

export function matches(document: Doc, filter: Doc): boolean {
  return Object.entries(filter).every(([key, wanted]) => {
    const list = wanted as Doc[]; // of the logical operators
    if (key === "$and") return list.every((one) => matches(document, one));
    if (key === "$or") return list.some((one) => matches(document, one));
    if (key === "$nor") return !list.some((one) => matches(document, one));
    if (key.startsWith("$")) throw new Error(`unknown top level operator: ${key}`);
    return fits(at(document, key), wanted);
  });
}

function fits(found: unknown, wanted: unknown): boolean {
  if (isDoc(wanted) && Object.keys(wanted).some((key) => key.startsWith("$")))
    return Object.entries(wanted).every(([operator, operand]) => passes(found, operator, operand));
  return same(found, wanted) || (Array.isArray(found) && found.some((item) => same(item, wanted)));
}

function passes(found: unknown, operator: string, operand: unknown): boolean {
  const any = (list: unknown): boolean => (list as unknown[]).some((one) => fits(found, one));
  switch (operator) {
    case "$eq":
      return fits(found, operand);
    case "$ne":
      return !fits(found, operand);
    case "$gt":
      return found != null && compared(found, operand) > 0;
    case "$gte":
      return found != null && compared(found, operand) >= 0;
    case "$lt":
      return found != null && compared(found, operand) < 0;
    case "$lte":
      return found != null && compared(found, operand) <= 0;
    case "$in":
      return any(operand);
    case "$nin":
      return !any(operand);
    case "$exists":
      return (found !== undefined) === Boolean(operand);
    case "$regex":
      return typeof found === "string" && new RegExp(String(operand)).test(found);
    default:
      throw new Error(`unknown operator: ${operator}`);
  }
}

/** Changes a document in place; of the stages in a list only `$set` is supported. */
export function change(document: Doc, update: Doc | Doc[]): void {
  if (Array.isArray(update)) {
    for (const stage of update) for (const [key, value] of Object.entries(stage.$set as Doc)) put(document, key, computed(document, value));
    return;
  }
  const operators = Object.entries(update);
  if (operators.every(([key]) => !key.startsWith("$"))) {
    const { _id } = document;
    for (const key of Object.keys(document)) delete document[key];
    Object.assign(document, _id === undefined ? {} : { _id }, update);
    return;
  }
  for (const [operator, fields] of operators)
    for (const [key, value] of Object.entries(fields as Doc)) apply(document, operator, key, value);
}

function apply(document: Doc, operator: string, key: string, value: unknown): void {
  put(document, key, changed(at(document, key), operator, value));
}

function changed(old: unknown, operator: string, value: unknown): unknown {
  switch (operator) {
    case "$set":
    case "$setOnInsert":
      return value;
    case "$unset":
      return undefined;
    case "$inc":
      return Number(plain(old) ?? 0) + Number(plain(value));
    case "$push":
      return [...((old as unknown[] | undefined) ?? []), value];
    default:
      throw new Error(`Unknown modifier: ${operator}`);
  }
}

/** An expression of an aggregation. */
function computed(document: Doc, expression: unknown): unknown {
  if (typeof expression === "string" && expression.startsWith("$")) return at(document, expression.slice(1));
  if (Array.isArray(expression)) return expression.map((item) => computed(document, item));
  if (!isDoc(expression)) return expression;
  const [[operator = "", operand] = []] = Object.entries(expression);
  if (operator === "$literal") return operand;
  if (operator === "$concat") return (operand as unknown[]).map((item) => String(computed(document, item))).join("");
  if (operator === "$eq") return same(computed(document, (operand as unknown[])[0]), computed(document, (operand as unknown[])[1]));
  if (operator === "$round") {
    const [value, digits = 0] = operand as unknown[];
    return Number(Number(plain(computed(document, value))).toFixed(Number(plain(digits))));
  }
  if (operator.startsWith("$")) throw new Error(`Unrecognized expression '${operator}'`);
  return Object.fromEntries(Object.entries(expression).map(([key, value]) => [key, computed(document, value)]));
}

export function sorted(documents: readonly Doc[], order: Doc): Doc[] {
  return documents.toSorted((a, b) => {
    for (const [key, direction] of Object.entries(order)) {
      const difference = compared(at(a, key), at(b, key));
      if (difference !== 0) return difference * Number(plain(direction));
    }
    return 0;
  });
}

export function projected(document: Doc, projection: Doc): Doc {
  const rules = Object.entries(projection);
  const kept = rules.filter(([key, rule]) => key !== "_id" && plain(rule) !== 0 && plain(rule) !== false);
  const out: Doc = kept.length === 0 ? { ...document } : "_id" in document ? { _id: document._id } : {};
  for (const [key, rule] of kept) {
    const value = plain(rule) === 1 || plain(rule) === true ? at(document, key) : computed(document, rule);
    if (value !== undefined) put(out, key, value);
  }
  for (const [key, rule] of rules) if (plain(rule) === 0 || plain(rule) === false) put(out, key, undefined);
  return out;
}

export function aggregated(documents: readonly Doc[], pipeline: readonly Doc[]): Doc[] {
  return pipeline.reduce<Doc[]>((found, stage) => staged(found, stage), [...documents]);
}

function staged(documents: Doc[], stage: Doc): Doc[] {
  const [[name = "", given] = []] = Object.entries(stage);
  const options = given as Doc;
  switch (name) {
    case "$match":
      return documents.filter((document) => matches(document, options));
    case "$sort":
      return sorted(documents, options);
    case "$limit":
      return documents.slice(0, Number(plain(given)));
    case "$skip":
      return documents.slice(Number(plain(given)));
    case "$project":
      return documents.map((document) => projected(document, options));
    case "$unwind": {
      const path = String(given).slice(1);
      return documents.flatMap((document) => (at(document, path) as unknown[]).map((item) => ({ ...document, [path]: item })));
    }
    case "$group":
      return grouped(documents, options);
    default:
      throw new Error(`Unrecognized pipeline stage name: '${name}'`);
  }
}

function grouped(documents: readonly Doc[], { _id, ...fields }: Doc): Doc[] {
  const groups = Map.groupBy(documents, (document) => JSON.stringify(plain(computed(document, _id))));
  return [...groups.values()].map((members) => {
    const out: Doc = { _id: members[0] === undefined ? null : computed(members[0], _id) };
    for (const [name, rule] of Object.entries(fields)) {
      const [[operator = "", operand] = []] = Object.entries(rule as Doc);
      const values = members.map((member) => Number(plain(computed(member, operand))));
      const sum = values.reduce((total, value) => total + value, 0);
      if (operator !== "$sum" && operator !== "$avg") throw new Error(`unknown group operator '${operator}'`);
      out[name] = operator === "$sum" ? sum : sum / values.length;
    }
    return out;
  });
}
