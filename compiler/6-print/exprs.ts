import type { Coercion, Expr, JqPlan, Span, StartFormPlan, TextPart } from "#runtime/plan/index.ts";
import { printJq } from "../jq/print/index.ts";
import {
  block as brackets,
  type Code,
  call,
  code,
  deeper,
  list,
  lit,
  marked,
  name,
  pair,
  parenthesised,
  property,
  type TextTag,
  template,
} from "./code.ts";
import type { Imports } from "./imports.ts";
import { widthOf } from "./marks.ts";

/** The names that printed expressions may use at one place of the module. */
export interface ExprPlace {
  readonly imports: Imports;
  /** The variable that holds an action; `up` counts the loops between the action and this place. */
  readonly act: (name: string, up?: number) => Code;
  /** The code for the action's own data. */
  readonly data: Code;
  /** The code for the time in Unix milliseconds: of the attempt, or of the run in the templates of the response. */
  readonly now: () => Code;
  /** The code for the signal that ends waits; by default the end of the run. */
  readonly signal?: () => Code;
  /** Data of the actions that had settled when the action of this place started. */
  readonly earlier?: () => Code;
  readonly indent: string;
  /** For a value that is read at the start: its path, and a function that keeps the places of fields. */
  readonly started?: { readonly path: string; readonly keep: (path: string, at: Span) => void };
}

/** The place of a member inside a value that is read at the start. */
const below = (p: ExprPlace, key: string | number): ExprPlace => {
  const { started } = p;
  if (started === undefined) return p;
  return { ...p, started: { ...started, path: typeof key === "number" ? `${started.path}[${key}]` : `${started.path}.${key}` } };
};

/** The tag of texts of several lines, `dedent`, which takes their indentation out. */
export const texts =
  ({ imports }: Pick<ExprPlace, "imports">): TextTag =>
  () =>
    imports.use("dedent");

/** Prints an expression: the same calls as runtime/walk/evaluate.ts, case by case. */
export function expr(e: Expr, p: ExprPlace): Code {
  const { imports } = p;
  switch (e.op) {
    case "lit":
      return lit(e.value, p.indent, texts(p));
    case "root":
      return root(e.root, e.name, p);
    case "action":
      return code`${p.act(e.name, e.up)}.data`;
    case "data":
      return p.data;
    case "item":
      return code`item`;
    case "given":
      return code`values[${lit(e.index)}]`;
    case "at":
      return reading(e, p);
    case "count":
      return code`${imports.value("count")}(${expr(e.of, p)})`;
    case "each":
      return reading(e, p);
    case "or":
      return either(expr(e.of, p), expr(e.instead, p));
    case "filter":
      return filter(e, p);
    case "jq":
      return jq(e, p);
    case "text":
      return template(
        e.parts.map((part) => (typeof part === "string" ? part : { hole: hole(part, p) })),
        p.indent,
        texts(p),
      );
    case "join":
      return code`${imports.value("join")}(${list(e.items.map((item) => expr(item, p)))})`;
    case "reread":
      return code`${imports.value("reread")}(${expr(e.of, p)})`;
    case "typed":
      if (e.required && e.as === "string") return code`${imports.use("neededString")}(${expr(e.of, p)}, ${lit(e.field)})`;
      return e.required
        ? code`${imports.value("needed")}(${coercion(e.as, e.field, expr(e.of, p), p)}, ${lit(e.field)}, ${lit(e.as)})`
        : coercion(e.as, e.field, expr(e.of, p), p);
    case "start":
      return startField(e, p);
    case "list":
      return collection(
        "[",
        e.items.map((item, i) => (inner) => expr(item, below(inner, i))),
        "]",
        p,
      );
    case "map":
      return map(e.entries, p);
  }
}

/** The code `of ?? instead`. The data of an action without a source are printed as `null`, which needs no `??`. */
const either = (of: Code, instead: Code): Code => (of === "null" ? instead : code`${of} ?? ${instead}`);

/** A path into a value. The type checker follows one into the data of another action, so that its finding needs the place of the marker. */
function reading({ op, of, path, at }: Extract<Expr, { op: "at" | "each" }>, p: ExprPlace): Code {
  const read = code`${p.imports.value(op)}(${list([expr(of, p), ...path.map((step) => lit(step))])})`;
  return of.op === "action" ? marked(read, at) : read;
}

/** Prints a field that is read when the process starts. It stands inside the function that reads all such fields. */
function startField({ field, form, of, at }: Extract<Expr, { op: "start" }>, p: ExprPlace): Code {
  const path = p.started?.path ?? field;
  p.started?.keep(path, at);
  const args = [lit(path), startForm(form, p), code`() => ${parenthesised(expr(of, p))}`];
  return deeper(call(code`field`, args), p.indent);
}

function startForm({ judge, items, ...words }: StartFormPlan, p: ExprPlace): Code {
  const fields = Object.entries(words).map(([key, value]) => pair(property(key), lit(typeof value === "object" ? [...value] : value)));
  if (judge !== undefined) fields.push(code`judge: ${p.imports.use(judge)}`);
  if (items !== undefined) fields.push(code`items: ${startForm(items, p)}`);
  return fields.length === 0 ? code`{}` : code`{ ${list(fields)} }`;
}

/** Prints a filter of jq. A filter that waits stands only in an asynchronous function. */
function jq(e: JqPlan, p: ExprPlace): Code {
  const args = [code`cx.host`, jqFilter(e, p), expr(e.of, p), lit(e.label)];
  if (!e.waits) return code`${p.imports.use("jq")}(${list(args)})`;
  return code`await ${p.imports.use("asyncJq")}(${list([...args, p.signal?.() ?? code`cx.signal`])})`;
}

function jqFilter({ filter, values, secret }: JqPlan, p: ExprPlace): Code {
  const fields = [code`text: ${expr(filter, p)}`];
  if (values.length > 0) fields.push(code`values: [${list(values.map((value) => expr(value, p)))}]`);
  if (secret) fields.push(code`secret: true`);
  const compiled = compiledJq(filter, values.length, p);
  if (compiled !== undefined) fields.push(code`compiled: ${compiled}`);
  return code`{ ${list(fields)} }`;
}

/** A filter as code; undefined where jq itself has to run it. */
export function compiledJq(filter: Expr, values: number, p: ExprPlace): Code | undefined {
  const printed = filter.op === "lit" ? printJq(String(filter.value), values) : undefined;
  if (printed === undefined || "reason" in printed) return undefined;
  p.imports.jq();
  return deeper(printed.code, p.indent);
}

/**
 * A list or map: a single short item stays on the line; of several items each has its own line, so that changing one item changes one line.
 */
function collection(open: "{" | "[", items: readonly ((inner: ExprPlace) => Code)[], close: string, p: ExprPlace): Code {
  const [only, ...more] = items;
  if (only === undefined || more.length > 0) return block(open, items, close, p);
  const item = only(p);
  // The item is printed only once, because printing stores constants and places.
  if (!item.includes("\n") && widthOf(item) <= shortest) return open === "{" ? code`{ ${item} }` : code`[${item}]`;
  return brackets(open, [deeper(item, "  ")], close, p.indent);
}

/** The most columns of an item that stands on the line of its brackets. */
const shortest = 80;

/** Brackets around items, each on its own line, so that changing one item changes one line. */
export function block(open: string, items: readonly ((inner: ExprPlace) => Code)[], close: string, p: ExprPlace): Code {
  const indent = `${p.indent}  `;
  return brackets(
    open,
    items.map((item) => item({ ...p, indent })),
    close,
    p.indent,
  );
}

function map(entries: Extract<Expr, { op: "map" }>["entries"], p: ExprPlace): Code {
  if (entries.every(([key]) => typeof key === "string")) {
    return collection(
      "{",
      entries.map(
        ([key, value]) =>
          (inner) =>
            pair(property(String(key)), expr(value, below(inner, String(key)))),
      ),
      "}",
      p,
    );
  }
  const { imports } = p;
  const items = entries.map(([key, value]) => (inner: ExprPlace) => {
    const printed = typeof key === "string" ? lit(key) : code`${imports.value("entryKey")}(${expr(key, inner)})`;
    return code`[${printed}, ${expr(value, inner)}]`;
  });
  return code`${imports.value("entries")}${block("(", items, ")", p)}`;
}

function filter(e: Extract<Expr, { op: "filter" }>, p: ExprPlace): Code {
  const { fn, clock } = p.imports.filter(e.use);
  const args = [expr(e.of, p), ...e.args.map((arg) => expr(arg, p)), ...(clock ? [p.now()] : [])];
  return code`${fn}(${list(args)})`;
}

function root(root: string, argument: string | undefined, p: ExprPlace): Code {
  if (root === "timestamp") return code`${p.imports.use("timestamp")}(${p.now()}, ${lit(argument ?? "s")})`;
  if (root === "settled") return p.earlier?.() ?? code`act.earlier`;
  const read = code`cx.${name(root)}`;
  if (root === "uuid") return code`${read}()`;
  return argument === undefined ? read : code`${read}(${lit(argument)})`;
}

function hole(part: Exclude<TextPart, string>, p: ExprPlace): Code {
  const value = expr(part.of, p);
  switch (part.fill) {
    case "text":
    case "raw":
      return code`${p.imports.value("text")}(${value})`;
    case "sql_value":
    case "sql_string":
    case "sql_identifier":
      return code`${p.imports.fill(part.fill)}(${value}, ${lit(part.dialect ?? "")})`;
    case "json_value":
    case "json_exact":
    case "json_string":
    case "url_origin":
    case "url_label":
    case "url_segment":
    case "url_component":
    case "path_key":
    case "path_value":
    case "path_text":
    case "regex":
    case "like":
    case "css":
    case "topic_level":
    case "channel_level":
    case "file_level":
    case "file_levels":
    case "mail_box":
    case "mail_address":
    case "mail_name":
    case "mail_part":
    case "mail_quoted":
      return code`${p.imports.fill(part.fill)}(${value})`;
  }
}

function coercion(as: Coercion, field: string, value: Code, p: ExprPlace): Code {
  switch (as) {
    case "string":
      return code`${p.imports.value("string")}(${value})`;
    case "number":
    case "integer":
    case "boolean":
    case "strings":
      return code`${p.imports.value(as)}(${value}, ${lit(field)})`;
    case "duration":
      return code`${p.imports.value("milliseconds")}(${value}, ${lit(field)})`;
    case "seconds":
      return code`${p.imports.value("milliseconds")}(${value}, ${lit(field)}, 1000)`;
  }
}
