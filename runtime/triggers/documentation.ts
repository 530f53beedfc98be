import { createHash } from "node:crypto";
import type { Reply } from "../reply.ts";

/** The API document as JSON, and the page that shows it: HTML with the marks `<!--style-->` and `<!--script-->`, where its style and script go. */
export interface DocumentationParts {
  readonly document: string;
  readonly page: string;
  readonly style: string;
  readonly script: string;
}

/** What is served of an API document, by path. */
export interface Documentation {
  readonly replies: readonly { readonly path: string; readonly reply: Reply }[];
}

/**
 * `GET /docs.json` and the page `GET /documentation` (surfaces.md 7). The page is one file and asks nobody but its own host for anything: its script and
 * style are allowed by their hashes, and what the document says is only ever shown as text.
 */
export function documentation({ document, page, style, script }: DocumentationParts): Documentation {
  const html = page.replace("<!--style-->", () => `<style>${style}</style>`).replace("<!--script-->", () => `<script>${script}</script>`);
  const policy = [
    "default-src 'self'",
    `script-src ${hashOf(script)}`,
    `style-src ${hashOf(style)}`,
    "connect-src 'self'",
    "img-src 'self' data:",
    ...["object-src", "base-uri", "form-action", "frame-ancestors"].map((name) => `${name} 'none'`),
  ].join("; ");
  const headers = { "cache-control": "no-cache", "x-content-type-options": "nosniff" };
  return {
    replies: [
      { path: "/docs.json", reply: { status: 200, headers: { "content-type": "application/json", ...headers }, body: compact(document) } },
      {
        path: "/documentation",
        reply: {
          status: 200,
          headers: {
            "content-type": "text/html; charset=utf-8",
            ...headers,
            "content-security-policy": policy,
            "referrer-policy": "no-referrer",
          },
          body: html,
        },
      },
    ],
  };
}

/** A file for people is laid out; for the wire it need not be. */
const compact = (document: string): string => JSON.stringify(JSON.parse(document));

const hashOf = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
