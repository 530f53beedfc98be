import type { JsonSchema } from "#runtime/features/feature.ts";
import { recordName, recordOf } from "../../2-check/schema.ts";
import { testLanguage, testRecordNames } from "../../testing/schema.ts";
import { notice } from "./feature-page.ts";

/** The page with the keys of contract tests, record by record. */
export function testsPage(): string {
  const { root, definitions } = testLanguage();
  const records = testRecordNames.map((name) => [name, name === "TestFile" ? root : recordOf(name, definitions)] as const);
  const sections = records.filter(([, schema]) => schema.properties !== undefined).map(([name, schema]) => section(name, schema));
  const head = `${notice}\n\n# Contract tests\n\nThe keys of files \`*.test.yaml\`. The guide is \`docs/testing.md\` in the repository.\n`;
  return `${[head, ...sections].join("\n")}`;
}

function section(name: string, { description = "", properties = {}, required = [] }: JsonSchema): string {
  const rows = Object.entries(properties).map(([key, schema]) => {
    const must = required.includes(key) ? " **Required.**" : "";
    const preset = schema.default === undefined ? "" : ` By default \`${JSON.stringify(schema.default)}\`.`;
    return `| \`${key}\` | ${typeText(schema)} | ${(schema.description ?? "").replaceAll("|", "\\\\|")}${preset}${must} |`;
  });
  return `## ${name}\n\n${description}\n\n| key | type | meaning |\n|---|---|---|\n${rows.join("\n")}\n`;
}

/** The type of a value in words, with links to records. */
function typeText(schema: JsonSchema): string {
  const { $ref, enum: words, anyOf, type, items, additionalProperties } = schema;
  if ($ref !== undefined) return link(recordName($ref));
  if (words !== undefined) return words.map((word) => `\`${String(word)}\``).join(", ");
  if (anyOf !== undefined) return anyOf.map(typeText).join(" or ");
  if (type === "array") return items === undefined ? "list" : `list of ${typeText(items)}`;
  if (type === "object") return typeof additionalProperties === "object" ? `map of ${typeText(additionalProperties)}` : "map";
  return type === undefined ? "anything" : [type].flat().join(" or ");
}

/** A test of the language has a page of its own. */
function link(name: string): string {
  if (name === "Test") return "[test](test.md)";
  const { anyOf } = recordOf(name, testLanguage().definitions);
  return anyOf === undefined ? `[${name}](#${name.toLowerCase()})` : anyOf.map(typeText).join(" or ");
}
