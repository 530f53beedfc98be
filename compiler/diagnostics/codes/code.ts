import { present } from "../../present.ts";
import type { Finding, Severity } from "../diagnostic.ts";

/** Text of a finding: the message alone, or with its hint or replacement. */
type Text = string | { readonly message: string; readonly hint?: string | undefined; readonly instead?: string | undefined };

/** The page of a code, which `pipewright explain` prints: one paragraph, and the mistake beside its remedy. */
export interface Page {
  readonly means: string;
  readonly wrong: string;
  readonly right: string;
}

/** One entry of a table: gives the finding for its parameters, and knows its own code and page for `explain`. */
export interface DiagnosticCode<Parameters extends readonly unknown[]> {
  (...parameters: Parameters): Finding;
  readonly code: string;
  readonly severity: Severity;
  /** Markdown: the meaning, a wrong and a right example. */
  readonly page: string;
}

/** Declares a diagnostic. The code is stable for ever (spec/language 8); the text may improve. */
export function error<P extends readonly unknown[]>(code: string, text: (...parameters: P) => Text, page: Page): DiagnosticCode<P> {
  return define(code, "error", text, page);
}

export function warning<P extends readonly unknown[]>(code: string, text: (...parameters: P) => Text, page: Page): DiagnosticCode<P> {
  return define(code, "warning", text, page);
}

export function note<P extends readonly unknown[]>(code: string, text: (...parameters: P) => Text, page: Page): DiagnosticCode<P> {
  return define(code, "note", text, page);
}

function define<P extends readonly unknown[]>(
  code: string,
  severity: Severity,
  text: (...parameters: P) => Text,
  page: Page,
): DiagnosticCode<P> {
  const make = (...parameters: P): Finding => {
    const content = text(...parameters);
    const { message, hint, instead } = typeof content === "string" ? { message: content } : content;
    return { code, severity, message, ...present({ hint, instead }) };
  };
  return Object.assign(make, { code, severity, page: markdown(page) });
}

function markdown({ means, wrong, right }: Page): string {
  return `${means}\n\nWrong:\n\n\`\`\`yaml\n${wrong}\n\`\`\`\n\nRight:\n\n\`\`\`yaml\n${right}\n\`\`\`\n`;
}

/** ` (did you mean 'x'?)` with the replacement, or nothing. */
export function suggestion(nearest: string | undefined): { readonly words: string; readonly instead: string | undefined } {
  return nearest === undefined ? { words: "", instead: undefined } : { words: ` (did you mean '${nearest}'?)`, instead: nearest };
}
