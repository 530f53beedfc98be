import { type Document, isScalar, parseDocument, type ScalarTag, type Tags } from "yaml";
import { untraced } from "#runtime/formats/yaml-untraced.ts";

/**
 * Reads a file of YAML that a command changes. `printedYaml` writes unchanged numbers exactly as in the file: a number that no double can
 * hold keeps its digits, and `0x1F`, `0777` and `1e3` keep their form.
 */
export const editableYaml = (text: string): Document =>
  untraced(() => parseDocument(text, { customTags: (tags: Tags): Tags => tags.map((tag) => (isNumeric(tag) ? keptAsWritten(tag) : tag)) }));

/** The text of a changed file. Long lines are not wrapped; line ends and the byte order mark stay as in the text `before`. */
export function printedYaml(document: Document, before: string): string {
  const text = document.toString({ lineWidth: 0, flowCollectionPadding: true });
  const mark = before.startsWith("\uFEFF") ? "\uFEFF" : "";
  return mark + (/^[^\n]*\r\n/.test(before) ? text.replaceAll("\n", "\r\n") : text);
}

/** Sets a root key. A scalar in place of another keeps its comment. */
export function setScalar(document: Document, key: string, value: unknown): void {
  const old = document.get(key, true);
  if (isScalar(old)) {
    delete old.source;
    delete old.format;
    delete old.minFractionDigits;
  }
  document.set(key, value);
}

const isNumeric = (tag: Tags[number]): tag is ScalarTag => typeof tag === "object" && /:(?:int|float)$/.test(tag.tag);

const keptAsWritten = (tag: ScalarTag): ScalarTag => ({
  ...tag,
  stringify: (scalar, ...rest) => scalar.source ?? tag.stringify?.(scalar, ...rest) ?? String(scalar.value),
});
