import type { Reply } from "../reply.ts";
import { htmlReply, jsonReply, type PageParts } from "./pages.ts";

/** The API document as JSON, and the page that shows it. */
export interface DocumentationParts extends PageParts {
  readonly document: string;
}

/** What is served of an API document, by path. */
export interface Documentation {
  readonly replies: readonly { readonly path: string; readonly reply: Reply }[];
}

/** `GET /docs.json` and the page `GET /documentation` (surfaces.md 7): what the document says is only ever shown as text. */
export const documentation = ({ document, ...page }: DocumentationParts): Documentation => ({
  replies: [
    { path: "/docs.json", reply: jsonReply(compact(document)) },
    { path: "/documentation", reply: htmlReply(page) },
  ],
});

/** A file for people is laid out; for the wire it need not be. */
const compact = (document: string): string => JSON.stringify(JSON.parse(document));
