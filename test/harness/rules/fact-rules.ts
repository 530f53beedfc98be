import { readFileSync } from "node:fs";
import { matchesGlob } from "node:path";
import ts from "typescript";
import { root } from "../folders.ts";
import { sourceFiles } from "./import-list.ts";

// Rules for facts of the plan. Only compiler/5-analyse may decide such a fact, and these rules find code in other files that decides it
// again.

/** A source file by its path from the root of the repository. */
export interface Source {
  readonly file: string;
  readonly text: string;
}

interface Rule {
  readonly what: string;
  /** Globs of the files for which the rule holds, without those of `except`. */
  readonly files: readonly string[];
  readonly except?: readonly string[];
  readonly finds: (node: ts.Node) => boolean;
}

const analysis = "compiler/5-analyse/**";
/** The parts of the compiler that run after the analysis. */
const later = ["compiler/6-print/**", "compiler/7-link/**", "compiler/openapi/**"];
const walker = "runtime/walk/*.ts";

/** Members by which the record of a feature says whether it waits, and whether it has a plain form. */
const recordFacts: ReadonlySet<string> = new Set(["async", "inRun", "holds", "finds"]);
const planFacts: ReadonlySet<string> = new Set(["waits", "plain", "keeps", "before", "adds", "resumes"]);

const rules: readonly Rule[] = [
  {
    what: "reads a fact from the record of a feature",
    files: ["compiler/*-*/**", "compiler/{gen,openapi}/**", "compiler/*.ts", walker],
    // The reference pages describe the records, and the walker calls functions that a module passes to it.
    except: [analysis, "compiler/gen/reference/*.ts", "runtime/walk/tests.ts"],
    finds: readsRecordFact,
  },
  { what: "writes a fact into the plan", files: ["compiler/**", walker], except: [analysis], finds: writesFact },
  {
    what: "goes through all ops or actions",
    files: ["compiler/**"],
    except: [analysis],
    finds: (node) => ts.isImportDeclaration(node) && isText(node.moduleSpecifier, /\/every\.ts$/),
  },
  {
    what: "asks which feature an op uses",
    files: later,
    // This file reads the columns of the SQL that a database action sends.
    except: ["compiler/6-print/select-list.ts"],
    finds: comparesUse,
  },
  {
    what: "reads what a module needs from its text",
    files: ["compiler/7-link/optional-parts.ts"],
    finds: (node) => ts.isRegularExpressionLiteral(node) || nameRead(node) === "code",
  },
];

/** Places at which these files decide a fact of the analysis again, as `file:line what`. */
export function decidedElsewhere(sources: readonly Source[]): readonly string[] {
  return sources.flatMap(({ file, text }) => {
    const matches = (glob: string): boolean => matchesGlob(file, glob);
    const applying = rules.filter(({ files, except = [] }) => files.some(matches) && !except.some(matches));
    if (applying.length === 0) return [];
    const parsed = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
    const found: string[] = [];
    const visit = (node: ts.Node): void => {
      for (const rule of applying) {
        if (!rule.finds(node)) continue;
        const { line } = parsed.getLineAndCharacterOfPosition(node.getStart(parsed));
        found.push(`${file}:${line + 1} ${rule.what}`);
      }
      ts.forEachChild(node, visit);
    };
    ts.forEachChild(parsed, visit);
    return found;
  });
}

export const ownSources = (): readonly Source[] =>
  sourceFiles("compiler/**/*.ts", "runtime/{run,walk,plan,value}/**/*.ts").map((file) => ({
    file,
    text: readFileSync(new URL(file, root), "utf8"),
  }));

/** The name of the member that a node reads: `a.name`, or `name` in a destructuring pattern. */
function nameRead(node: ts.Node): string | undefined {
  if (ts.isPropertyAccessExpression(node)) return node.name.text;
  if (!ts.isBindingElement(node) || !ts.isObjectBindingPattern(node.parent)) return undefined;
  const name = node.propertyName ?? node.name;
  return ts.isIdentifier(name) ? name.text : undefined;
}

/** True when the node reads a fact of a record. A call of a method with such a name is no fact. */
function readsRecordFact(node: ts.Node): boolean {
  const isCalled = ts.isCallExpression(node.parent) && node.parent.expression === node;
  return !isCalled && recordFacts.has(nameRead(node) ?? "");
}

/** True for a member such as `waits: true`. Ops of jq are excepted: they copy the fact from the field that holds them. */
function writesFact(node: ts.Node): boolean {
  if (!ts.isPropertyAssignment(node) || !ts.isIdentifier(node.name) || !planFacts.has(node.name.text)) return false;
  const value = ts.isAsExpression(node.initializer) ? node.initializer.expression : node.initializer;
  if (value.kind !== ts.SyntaxKind.TrueKeyword) return false;
  return !node.parent.properties.some(
    (each) => ts.isPropertyAssignment(each) && each.name.getText() === "op" && isText(each.initializer, /^jq$/),
  );
}

/** True for `op.use === "state"`, with the sides in any order. */
function comparesUse(node: ts.Node): boolean {
  if (!ts.isBinaryExpression(node)) return false;
  const kind = node.operatorToken.kind;
  if (kind !== ts.SyntaxKind.EqualsEqualsEqualsToken && kind !== ts.SyntaxKind.ExclamationEqualsEqualsToken) return false;
  const sides = [node.left, node.right];
  return sides.some((side) => isText(side, /^/)) && sides.some((side) => ts.isPropertyAccessExpression(side) && side.name.text === "use");
}

const isText = (node: ts.Node, pattern: RegExp): boolean => ts.isStringLiteralLike(node) && pattern.test(node.text);
