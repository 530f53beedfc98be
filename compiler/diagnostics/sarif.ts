import type { Json } from "#runtime/value/json.ts";
import type { Diagnostic } from "./diagnostic.ts";
import type { Sources } from "./position.ts";

/** A rule in code scanning: the code and its page. */
export interface SarifRule {
  readonly code: string;
  readonly page: string;
}

/** A SARIF 2.1.0 log with one run. `rules` is the table of codes; only codes that occur are written. */
export function sarifReport(diagnostics: readonly Diagnostic[], sources: Sources, rules: readonly SarifRule[]): Json {
  const codes = new Set(diagnostics.map(({ code }) => code));
  const reported = new Map(rules.filter(({ code }) => codes.has(code)).map((rule) => [rule.code, rule]));
  return {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: { driver: { name: "pipewright", rules: [...reported.values()].map(ruleOf) } },
        columnKind: "utf16CodeUnits",
        results: diagnostics.map((diagnostic) => resultOf(diagnostic, sources)),
      },
    ],
  };
}

function ruleOf({ code, page }: SarifRule): Json {
  return { id: code, help: { text: page, markdown: page } };
}

function resultOf({ code, severity, message, hint, at, fix }: Diagnostic, sources: Sources): Json {
  const lines = sources.lines(at.file);
  const start = lines.at(at.start);
  const end = lines.at(at.end);
  const artifactLocation = { uri: at.file.split("/").map(encodeURIComponent).join("/") };
  const region = { startLine: start.line, startColumn: start.column, endLine: end.line, endColumn: end.column };
  const replacements = fix === undefined ? [] : [{ deletedRegion: region, insertedContent: { text: fix.text } }];
  return {
    ruleId: code,
    level: severity,
    message: { text: hint === undefined ? message : `${message}\n${hint}` },
    locations: [{ physicalLocation: { artifactLocation, region } }],
    ...(fix === undefined ? {} : { fixes: [{ description: { text: fix.title }, artifactChanges: [{ artifactLocation, replacements }] }] }),
  };
}
