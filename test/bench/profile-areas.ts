import { readFileSync } from "node:fs";

/** The part of a program that a function belongs to. */
interface Frame {
  readonly functionName: string;
  readonly url: string;
  readonly lineNumber: number;
}

/** The files that a bundle was made of, by the lines where they begin: esbuild writes their names as comments. */
export type Sections = (url: string, line: number) => string;

// Layers of a request, each with the names of the files that make it; the first one that fits counts. A bundle names a package with its
// version: `pg@8.23.1/lib/client.js`.
const layers: readonly (readonly [layer: string, files: RegExp])[] = [
  ["upstream client", /undici|runtime\/outgoing/],
  ["database", /(?:^|node_modules\/)(?:pg|postgres)[-.@\w]*\/|actions\/database/],
  ["WebSocket library", /(?:^|node_modules\/)ws[-.@\w]*\/lib/],
  ["channels", /runtime\/realtime|runtime\/bus/],
  ["printed module", /^pipewright:|\.yaml|pipewright-module/],
  ["routes, body, request", /runtime\/triggers|runtime\/network|find-my-way|secure-json-parse|content-type/],
  ["reply", /runtime\/run\/end/],
  ["run", /runtime\/run|runtime\/process|runtime\/printed/],
  ["features", /runtime\/features|runtime\/value|runtime\/formats|runtime\/keys|runtime\/languages/],
  ["fastify", /node_modules\/(?:fastify|@fastify|ajv|fast-|avvio|light-my-request|pino)/],
  ["other packages", /node_modules|^(?:@[^/]+\/)?[^/@]+@\d/],
];

/** Node's own files, by what they do. */
const node: readonly (readonly [layer: string, files: RegExp])[] = [
  ["node: HTTP", /_http_|http_/],
  ["node: sockets and streams", /net$|stream|streams|_tls/],
  ["node: timers and ticks", /timers|task_queues|async_hooks|process/],
  ["node: other", /./],
];

export function areaOf({ functionName, url, lineNumber }: Frame, sections: Sections): string {
  if (functionName === "(garbage collector)") return "garbage collector";
  if (functionName === "(program)" || functionName === "(root)") return "native code: sockets, parser";
  if (url.startsWith("node:")) return pick(node, url);
  return pick(layers, sections(url, lineNumber)) ?? "other";
}

const pick = (table: readonly (readonly [string, RegExp])[], text: string): string =>
  table.find(([, files]) => files.test(text))?.[0] ?? "other";

/** Reads each bundle once. */
export function sectionsOf(): Sections {
  const files = new Map<string, readonly { readonly line: number; readonly file: string }[]>();
  return (url, line) => {
    const path = url.replace(/^file:\/\//, "");
    if (!path.endsWith(".cjs")) return path;
    const sections = files.get(path) ?? read(path);
    files.set(path, sections);
    return sections.findLast((section) => section.line <= line)?.file ?? path;
  };
}

const read = (path: string): { line: number; file: string }[] =>
  readFileSync(path, "utf8")
    .split("\n")
    .flatMap((text, line) => {
      const file = /^\s*\/\/ (\S+\.(?:ts|js|mjs|cjs|yaml)|pipewright:\S+)$/.exec(text)?.[1];
      return file === undefined ? [] : [{ line, file }];
    });
