import { UsageError } from "#runtime/process/settings/usage-error.ts";
import type { DocumentOptions } from "../openapi/index.ts";

/** The flags of the command line about the API document (spec/surfaces 7). */
export interface DocsFlags {
  readonly docsTitle?: string;
  readonly docsVersion?: string;
  readonly publicUrl?: readonly string[];
}

/** Reads the flags. The address of the service must be an absolute `http:` or `https:` URL. */
export function documentOptions({ docsTitle, docsVersion, publicUrl }: DocsFlags): DocumentOptions {
  const servers = publicUrl?.map((text) => {
    const isWeb = URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
    if (!isWeb) throw new UsageError(`--public-url must be an address such as https://api.example.com, not '${text}'`);
    return text.replace(/\/$/, "");
  });
  return { title: docsTitle, version: docsVersion, servers };
}
