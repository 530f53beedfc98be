import { type CompletionItem, CompletionItemKind, MarkupKind } from "vscode-languageserver/node";

export { CompletionItemKind };

/** A completion at a place. */
export interface Offer {
  readonly label: string;
  readonly kind: CompletionItemKind;
  /** The text that is inserted; by default the label. */
  readonly text?: string;
  readonly detail?: string;
  readonly doc?: string;
}

/** The range of the text that an offer replaces. */
export type Range = NonNullable<Extract<CompletionItem["textEdit"], { range: unknown }>>["range"];

/** The completions, with sort texts that keep their order; `lead` stands before each text. */
export function itemsOf(offers: readonly Offer[], range: Range, lead = ""): CompletionItem[] {
  const once = new Map(offers.map((offer) => [offer.label, offer] as const));
  return [...once.values()].map(({ label, kind, text = label, detail, doc }, i) => ({
    label,
    kind,
    sortText: String(i).padStart(4, "0"),
    filterText: label,
    textEdit: { range, newText: `${lead}${text}` },
    ...(detail === undefined || detail === "" ? {} : { detail }),
    ...(doc === undefined || doc === "" ? {} : { documentation: { kind: MarkupKind.Markdown, value: doc } }),
  }));
}
