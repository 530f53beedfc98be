import { existsSync, readFileSync } from "node:fs";
import { Document, parse, visit } from "yaml";
import type { Json } from "#runtime/value/json.ts";
import { present } from "../../present.ts";

/** A case of test/fixtures/<kind>/<name>/cases.yaml, of any kind. Cases with `doc` are the examples of the reference page. */
export interface Case {
  readonly name: string;
  readonly doc?: true;
}

export interface TransformCase extends Case {
  readonly args: Json;
  readonly data: Json;
  /**
   * A case has exactly one of three: the result, a pattern of its JSON text, or the reason of the failure (the code, for a refused
   * argument).
   */
  readonly gives?: Json;
  readonly matches?: string;
  readonly fails?: string;
}

export interface MatcherCase extends Case {
  readonly operand: Json;
  readonly target: Json;
  readonly options?: Json;
  /** A case has exactly one of `passes`, `detail` and `fails`. */
  readonly passes?: true;
  readonly detail?: string;
  readonly fails?: string;
}

/** An action as an author writes it, and the part `global` of the configuration that it needs. */
export interface ActionCase extends Case {
  readonly action: Json;
  readonly global?: Json;
}

/** The cases of a feature; none when there is no file. */
export function casesOf<C extends Case>(file: string): readonly C[] {
  // The laws check the shape of every file of cases.
  return existsSync(file) ? (parse(readFileSync(file, "utf8"), { maxAliasCount: -1 }) as C[]) : [];
}

/** The examples of a page: the cases with `doc`, else the first case. */
const examples = <C extends Case>(cases: readonly C[]): readonly C[] => {
  const chosen = cases.filter(({ doc }) => doc === true);
  return chosen.length > 0 ? chosen : cases.slice(0, 1);
};

export function transformExamples(name: string, cases: readonly TransformCase[]): string {
  return examples(cases)
    .map((example) => {
      const result =
        example.gives !== undefined
          ? json(example.gives)
          : example.matches !== undefined
            ? `what fits ${example.matches}`
            : refusal(example.fails);
      return `${heading(example)}${fence("yaml", yaml([{ [name]: example.args }]))}\n${fence("text", `${json(example.data)}\n→ ${result}`)}`;
    })
    .join("\n");
}

export function matcherExamples(name: string, cases: readonly MatcherCase[]): string {
  return examples(cases)
    .map((example) => {
      const result = example.passes === true ? "passes" : `fails: ${example.detail ?? example.fails}`;
      const test = { ...(typeof example.options === "object" ? example.options : {}), [name]: example.operand };
      return `${heading(example)}${fence("yaml", yaml(test))}\n${fence("text", `${json(example.target)}\n→ ${result}`)}`;
    })
    .join("\n");
}

export function actionExamples(cases: readonly ActionCase[]): string {
  return examples(cases)
    .map((example) => {
      const { action, global } = example;
      return `${heading(example)}${fence("yaml", yaml({ ...present({ global }), actions: [action] }, 5))}`;
    })
    .join("\n");
}

const heading = ({ name }: Case): string => `${name.charAt(0).toUpperCase()}${name.slice(1)}:\n\n`;

const refusal = (reason: string | undefined): string =>
  reason !== undefined && /^PW\d{3}$/.test(reason) ? `refused when compiling: ${reason}` : `fails: ${reason}`;

/** JSON on one line; of a long encoded text only the beginning is shown. */
const json = (value: Json): string =>
  JSON.stringify(value, (_, inner) => (typeof inner === "string" && /^[\w+/=-]{300,}$/.test(inner) ? `${inner.slice(0, 40)}…` : inner));

/** A value as YAML, with one member on each line. From a depth of the tree on, a small collection is on one line. */
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
