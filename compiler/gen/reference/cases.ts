import { existsSync, readFileSync } from "node:fs";
import { Document, parse, visit } from "yaml";
import type { Json } from "#runtime/value/json.ts";

/** A case of test/fixtures/<kind>/<name>/cases.yaml, of any kind: those with `doc` are the examples of the reference page. */
export interface Case {
  readonly name: string;
  readonly doc?: true;
}

export interface TransformCase extends Case {
  readonly args: Json;
  readonly data: Json;
  /** Exactly one of three: the result, a pattern of its JSON text, or the reason (for a refused argument the code). */
  readonly gives?: Json;
  readonly matches?: string;
  readonly fails?: string;
}

export interface MatcherCase extends Case {
  readonly operand: Json;
  readonly target: Json;
  readonly options?: Json;
  /** Exactly one of three. */
  readonly passes?: true;
  readonly detail?: string;
  readonly fails?: string;
}

/** An action as an author writes it, and the `global` part of the configuration that it needs. */
export interface ActionCase extends Case {
  readonly action: Json;
  readonly global?: Json;
}

/** The cases of a feature; none when there is no file. */
export function casesOf<C extends Case>(file: string): readonly C[] {
  // The laws check the shape of every file of cases.
  return existsSync(file) ? (parse(readFileSync(file, "utf8"), { maxAliasCount: -1 }) as C[]) : [];
}

/** The examples of a page: what is marked for it, else the first case. */
const shown = <C extends Case>(cases: readonly C[]): readonly C[] => {
  const marked = cases.filter(({ doc }) => doc === true);
  return marked.length > 0 ? marked : cases.slice(0, 1);
};

export function transformExamples(name: string, cases: readonly TransformCase[]): string {
  return shown(cases)
    .map((one) => {
      const result =
        one.gives !== undefined ? json(one.gives) : one.matches !== undefined ? `what fits ${one.matches}` : refusal(one.fails);
      return `${heading(one)}${fence("yaml", yaml([{ [name]: one.args }]))}\n${fence("text", `${json(one.data)}\n→ ${result}`)}`;
    })
    .join("\n");
}

export function matcherExamples(name: string, cases: readonly MatcherCase[]): string {
  return shown(cases)
    .map((one) => {
      const result = one.passes === true ? "passes" : `fails: ${one.detail ?? one.fails}`;
      const test = { ...(typeof one.options === "object" ? one.options : {}), [name]: one.operand };
      return `${heading(one)}${fence("yaml", yaml(test))}\n${fence("text", `${json(one.target)}\n→ ${result}`)}`;
    })
    .join("\n");
}

export function actionExamples(cases: readonly ActionCase[]): string {
  return shown(cases)
    .map((one) => {
      const { action, global } = one;
      return `${heading(one)}${fence("yaml", yaml({ ...(global === undefined ? {} : { global }), actions: [action] }, 5))}`;
    })
    .join("\n");
}

const heading = ({ name }: Case): string => `${name.charAt(0).toUpperCase()}${name.slice(1)}:\n\n`;

const refusal = (reason: string | undefined): string =>
  reason !== undefined && /^PW\d{3}$/.test(reason) ? `refused when compiling: ${reason}` : `fails: ${reason}`;

/** On one line; the text of a document is told by its beginning. */
const json = (value: Json): string =>
  JSON.stringify(value, (_, inner) => (typeof inner === "string" && /^[\w+/=-]{300,}$/.test(inner) ? `${inner.slice(0, 40)}…` : inner));

/** Records in lines, but from a depth of the tree on a small collection in one. */
export function yaml(value: Json, depth = 3): string {
  const document = new Document(value);
  visit(document, {
    Collection(_, node, ancestors) {
      if (ancestors.length >= depth && JSON.stringify(node).length < 60) node.flow = true;
    },
  });
  return document.toString({ lineWidth: 0, flowCollectionPadding: false }).trimEnd();
}

export const fence = (language: string, text: string): string => `\`\`\`${language}\n${text}\n\`\`\`\n`;
