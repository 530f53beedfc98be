import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

// `npm run new transform reverse_rows`: the file and the cases of a feature from templates/feature/, then `npm run gen`.

const kinds: Readonly<Record<string, { readonly folder: string; readonly next: readonly string[] }>> = {
  transform: { folder: "transforms", next: [] },
  matcher: { folder: "matchers", next: [] },
  action: {
    folder: "actions",
    next: ["its key in the record Action (compiler/2-check/skeleton-actions.ts)", "its source (compiler/4-plan/action.ts)"],
  },
};

/** Wrong usage; the message is all that its user needs. */
export class NotPossible extends Error {}

/** Words that cannot name a function in a module, in the form that names of features have. */
const taken =
  /^(?:await|break|case|catch|class|const|continue|debugger|default|delete|do|else|enum|export|extends|false|finally|for|function|if|implements|import|in|instanceof|interface|let|new|null|package|private|protected|public|return|static|super|switch|this|throw|true|try|typeof|var|void|while|with|yield|arguments|eval|spec|prepare)$/;

/** Writes the files of a new feature below `root` and gives their paths there. Throws `NotPossible`, and then has written nothing. */
export function newFeature(kind: string, name: string, root: string): readonly string[] {
  const { folder } = knownKind(kind);
  if (!/^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/.test(name) || name.length > 60) {
    throw new NotPossible(`'${name}' is no name: small letters and digits, with single _ between words, such as reverse_rows`);
  }
  if (taken.test(name)) throw new NotPossible(`'${name}' cannot name a function; choose another word`);
  const files = [
    { template: "feature.ts", file: `runtime/features/${folder}/${name}.ts` },
    { template: "cases.yaml", file: `test/fixtures/${folder}/${name}/cases.yaml` },
  ];
  for (const { file } of files) if (existsSync(join(root, file))) throw new NotPossible(`${file} exists already; nothing was written`);
  for (const { template, file } of files) {
    const text = readFileSync(join(root, "templates/feature", kind, template), "utf8");
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text.replaceAll("feature_name", name));
  }
  return files.map(({ file }) => file);
}

function knownKind(kind: string): { readonly folder: string; readonly next: readonly string[] } {
  const found = Object.hasOwn(kinds, kind) ? kinds[kind] : undefined;
  if (found === undefined) throw new NotPossible(`'${kind}' is no kind of feature; known are ${Object.keys(kinds).join(", ")}`);
  return found;
}

function main(args: readonly string[]): number {
  const [kind, name, ...more] = args;
  const root = join(import.meta.dirname, "../..");
  try {
    if (kind === undefined || name === undefined || more.length > 0)
      throw new NotPossible("usage: npm run new transform|matcher|action NAME");
    const files = newFeature(kind, name, root);
    const generated = spawnSync(process.execPath, [join(root, "compiler/gen/main.ts")], { stdio: "inherit" });
    if (generated.status !== 0) return generated.status ?? 1;
    console.log(["written; fill in:", ...files].join("\n  "));
    console.log(["and edit by hand:", ...knownKind(kind).next, "one line in CHANGELOG.md"].join("\n  "));
    console.log(`then: npm run case ${name} && npm run gen`);
    return 0;
  } catch (error) {
    if (!(error instanceof NotPossible)) throw error;
    console.error(`new: ${error.message}`);
    return 1;
  }
}

if (import.meta.main) process.exitCode = main(process.argv.slice(2));
