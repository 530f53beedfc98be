import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isObject, type Json, own } from "#runtime/value/json.ts";

// The command `npm run new transform reverse_rows`: it writes the files of a feature from templates/feature/, then runs `npm run gen`.

/** A kind of feature that the command can begin. */
interface NewKind {
  /** Templates, and the files that they become. */
  readonly files: Readonly<Record<string, string>>;
  /** The record of the language that has a key for each feature; with `field`, that field of the record has a word for each. */
  readonly record: string;
  readonly field?: string;
  /** An example of a name, which the help shows in a command. */
  readonly example: string;
  readonly next: readonly string[];
  /** The command that tries the feature. */
  readonly check: string;
}

const interfaceFixture = {
  "config.yaml": "test/fixtures/interfaces/NAME/config.yaml",
  "requests.yaml": "test/fixtures/interfaces/NAME/requests.yaml",
};

const checksFixture = "npm run case NAME";

const writesExpected = "npm run case NAME -- --update writes the module that its fixture prints; read it as a user would";

/** Every kind, by the word of the command. */
export const newKinds: Readonly<Record<string, NewKind>> = {
  transform: {
    files: { "feature.ts": "runtime/features/transforms/NAME.ts", "cases.yaml": "test/fixtures/transforms/NAME/cases.yaml" },
    record: "Transform",
    example: "reverse_rows",
    next: ["write the cases, then the function; an argument that has to be parsed needs prepare"],
    check: checksFixture,
  },
  matcher: {
    files: { "feature.ts": "runtime/features/matchers/NAME.ts", "cases.yaml": "test/fixtures/matchers/NAME/cases.yaml" },
    record: "Test",
    example: "is_even",
    next: ["write the cases, then the function; options: true in its record where it takes the options of its test"],
    check: checksFixture,
  },
  action: {
    files: { "feature.ts": "runtime/features/actions/NAME.ts", "cases.yaml": "test/fixtures/actions/NAME/cases.yaml" },
    record: "Action",
    example: "send_fax",
    next: [
      "a fixture in test/fixtures/interfaces/ for its effect",
      "only where its schema cannot tell a mistake: compiler/4-plan/actions/NAME.ts with a planner",
      "only where its arguments decide what a run needs: compiler/5-analyse/actions/NAME.ts with an assessor",
      "where it reaches outside: compiler/5-analyse/capabilities/actions/NAME.ts with a toucher, for the manifest",
    ],
    check: checksFixture,
  },
  filter: {
    files: { "feature.ts": "runtime/features/filters/NAME.ts", "cases.yaml": "test/fixtures/filters/NAME/cases.yaml" },
    record: "marker",
    example: "trim",
    next: ["write the examples, then the function"],
    check: checksFixture,
  },
  driver: {
    files: { "feature.ts": "runtime/features/actions/database/NAME.ts", ...interfaceFixture },
    record: "Database",
    field: "driver",
    example: "cockroach",
    next: ["speaks says which dialect of SQL the compiler reads; another dialect is work in compiler/4-plan/sql", writesExpected],
    check: checksFixture,
  },
  secret_store: {
    files: {
      "feature.ts": "runtime/features/secret-stores/NAME.ts",
      ...interfaceFixture,
      "keys.yaml": "test/fixtures/keys/configuration/NAME.yaml",
    },
    record: "Secret",
    field: "kind",
    example: "keychain",
    next: [
      "no failure quotes the secret, and no setting that holds one is written down (itself)",
      "the example of its settings uses every key that it brings",
      writesExpected,
    ],
    check: checksFixture,
  },
  trigger: {
    files: {
      "record.ts": "runtime/triggers/NAME/record.ts",
      "feature.ts": "runtime/triggers/NAME.ts",
      "feature.test.ts": "test/runtime/triggers/NAME.test.ts",
      "keys.yaml": "test/fixtures/keys/triggers/NAME.yaml",
    },
    record: "Interface",
    example: "watch_folder",
    next: ["what it opens ends with stop, and with the host (host.resource)", "the examples of its reference page use every key"],
    check: "npx vitest run --config test/vitest.config.ts test/runtime/triggers/NAME.test.ts",
  },
};

/** The error of wrong usage, of which only the message is shown. */
class NotPossible extends Error {}

/** Words that cannot name a function in a module, in the form that names of features have. */
const reserved =
  /^(?:await|break|case|catch|class|const|continue|debugger|default|delete|do|else|enum|export|extends|false|finally|for|function|if|implements|import|in|instanceof|interface|let|new|null|package|private|protected|public|return|static|super|switch|this|throw|true|try|typeof|var|void|while|with|yield|arguments|eval|spec|prepare|internal|index)$/;

/** Writes the files of a new feature below `root` and gives their paths there. Throws `NotPossible` before it has written any file. */
export function newFeature(kind: string, name: string, root: string): readonly string[] {
  const record = kindOf(kind);
  if (!/^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/.test(name) || name.length > 60) {
    throw new NotPossible(`'${name}' is no name: small letters and digits, with single _ between words, such as ${record.example}`);
  }
  if (reserved.test(name)) throw new NotPossible(`'${name}' cannot name a function; choose another word`);
  const files = Object.entries(record.files).map(([template, file]) => ({ template, file: file.replaceAll("NAME", name) }));
  for (const { file } of files) if (existsSync(join(root, file))) throw new NotPossible(`${file} exists already; nothing was written`);
  const owner = ownerOf(name, record, root);
  if (owner !== undefined) throw new NotPossible(`'${name}' is ${owner} already; choose another word`);
  for (const { template, file } of files) {
    const text = readFileSync(join(root, "templates/feature", kind, template), "utf8");
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text.replaceAll("feature_name", name).replaceAll("feature-name", name.replaceAll("_", "-")));
  }
  return files.map(({ file }) => file);
}

/** The owner of a name: a word of the language, or a function that printed modules call; undefined for a free name. */
function ownerOf(name: string, { record, field }: NewKind, root: string): string | undefined {
  const keys = at(at(at(read(join(root, "generated/schema.json")), "$defs"), record), "properties");
  const words = field === undefined ? undefined : at(at(keys, field), "enum");
  if (Array.isArray(words)) return words.includes(name) ? `a word of ${record}.${field}` : undefined;
  const key = at(keys, name);
  if (isObject(key)) return `a key of ${record}`;
  const facade = join(root, "generated/facade.ts");
  const isCalled =
    existsSync(facade) && new RegExp(`^  ${record === "marker" ? `${name}_filter` : name}: `, "m").test(readFileSync(facade, "utf8"));
  return isCalled ? "a function that printed modules call" : undefined;
}

const read = (file: string): Json => (existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Json) : null); // JSON.parse gives JSON

const at = (value: Json, key: string): Json => (isObject(value) ? (own(value, key) ?? null) : null);

function kindOf(kind: string): NewKind {
  const record = Object.hasOwn(newKinds, kind) ? newKinds[kind] : undefined;
  if (record === undefined) throw new NotPossible(`'${kind}' is no kind of feature; known are ${Object.keys(newKinds).join(", ")}`);
  return record;
}

const usage = [
  "usage: npm run new KIND NAME",
  "",
  "Writes the files of a new feature, which work as they are, and registers it. For example:",
  ...Object.entries(newKinds).map(([kind, { example, files }]) => {
    const [file = ""] = Object.values(files).filter((each) => each.startsWith("runtime/"));
    return `  npm run new ${`${kind} ${example}`.padEnd(26)} ${file.replaceAll("NAME", example)}`;
  }),
].join("\n");

function main(args: readonly string[]): number {
  const [kind, name, ...more] = args;
  const root = join(import.meta.dirname, "../..");
  if (args.includes("--help")) {
    console.log(usage);
    return 0;
  }
  try {
    if (kind === undefined || name === undefined || more.length > 0) throw new NotPossible(usage);
    const files = newFeature(kind, name, root);
    const generated = spawnSync(process.execPath, [join(root, "compiler/gen/main.ts")], { stdio: "inherit" });
    if (generated.status !== 0) return generated.status ?? 1;
    console.log(["written, and works; make it yours:", ...files].join("\n  "));
    const { next, check } = kindOf(kind);
    console.log(["next:", ...next.map((step) => step.replaceAll("NAME", name)), "one line in CHANGELOG.md"].join("\n  "));
    console.log(`then: npm run gen && ${check.replaceAll("NAME", name)} && npm run ready`);
    return 0;
  } catch (error) {
    if (!(error instanceof NotPossible)) throw error;
    console.error(`new: ${error.message}`);
    return 1;
  }
}

if (import.meta.main) process.exitCode = main(process.argv.slice(2));
