import { createHash } from "node:crypto";
import type { Reply } from "../run/response.ts";

/** A page of one file: HTML with the marks `<!--style-->` and `<!--script-->`, which are replaced by its style and its script. */
export interface PageParts {
  readonly page: string;
  readonly style: string;
  readonly script: string;
}

/** The answer that shows a page. The page may send requests only to its own host; its script and style are allowed by their hashes. */
export function htmlReply({ page, style, script }: PageParts): Reply {
  const html = page.replace("<!--style-->", () => `<style>${style}</style>`).replace("<!--script-->", () => `<script>${script}</script>`);
  const policy = [
    "default-src 'self'",
    `script-src ${hashOf(script)}`,
    `style-src ${hashOf(style)}`,
    "connect-src 'self'",
    "img-src 'self' data:",
    ...["object-src", "base-uri", "form-action", "frame-ancestors"].map((name) => `${name} 'none'`),
  ].join("; ");
  const headers = { "content-security-policy": policy, "referrer-policy": "no-referrer" };
  return { status: 200, headers: { "content-type": "text/html; charset=utf-8", ...common, ...headers }, body: html };
}

export const jsonReply = (body: string): Reply => ({ status: 200, headers: { "content-type": "application/json", ...common }, body });

const common = { "cache-control": "no-cache", "x-content-type-options": "nosniff" };

const hashOf = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
