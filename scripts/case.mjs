// `npm run case NAME`: one fixture through the laws that look at fixtures, in seconds. NAME is a folder of test/fixtures/KIND, or
// KIND/NAME.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { nearest } from "../compiler/diagnostics/nearest.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const fixtures = join(root, "test/fixtures");

const help = `npm run case NAME [-- --update]

Runs one fixture. NAME is the name of a transform, a matcher, an action or a filter, or of a folder of test/fixtures/interfaces or
test/fixtures/diagnostics; where two kinds have the name, write KIND/NAME (transforms, matchers, actions, filters, interfaces,
diagnostics).

  transform, matcher  its cases on every path (agree), its texts and cases (complete), and the interfaces that use it: what their
                      bundles carry (slim), and that a mistake in it is noticed (breakage)
  action              its texts and examples (complete), and the interfaces that use it (agree, slim, breakage)
  filter              its examples on both paths (markers), and the interfaces that use it (agree, slim, breakage)
  interface           its module and its requests on every path (agree), slim, and breakage of what its module calls
  diagnostic          what the compiler says, and that its fixes mend it

  --update            writes expected.ts or expected.txt of the fixture; read the difference
  --help              prints this text
`;

/** The laws for each kind of fixture. Laws in `own` look at the fixture, and laws in `uses` at the interfaces that use the feature. */
const laws = {
  transforms: { own: ["test/laws/agree/features.test.ts", "test/laws/complete.test.ts"], uses: ["slim", "breakage"] },
  matchers: { own: ["test/laws/agree/features.test.ts", "test/laws/complete.test.ts"], uses: ["slim", "breakage"] },
  actions: { own: ["test/laws/complete.test.ts"], uses: ["agree/interfaces", "slim", "breakage"] },
  filters: { own: ["test/laws/markers.test.ts"], uses: ["agree/interfaces", "slim", "breakage"] },
  interfaces: { own: ["test/laws/agree/interfaces.test.ts", "test/laws/slim.test.ts", "test/laws/breakage.test.ts"], uses: [] },
  diagnostics: { own: ["diagnostics.test.ts"], uses: [] },
};

process.exitCode = main(process.argv.slice(2));

function main(args) {
  const words = args.filter((word) => !word.startsWith("--"));
  const flags = args.filter((word) => word.startsWith("--"));
  if (flags.includes("--help")) return done(help);
  const wrong = flags.find((flag) => flag !== "--update");
  if (words.length !== 1 || wrong !== undefined) return failed(wrong === undefined ? help : `case: unknown option ${wrong}\n\n${help}`);
  const all = Object.keys(laws).flatMap((kind) => readdirSync(join(fixtures, kind)).map((name) => ({ kind, name })));
  const [word] = words;
  const matches = all.filter(({ kind, name }) => word === name || word === `${kind}/${name}`);
  if (matches.length === 0) return failed(unknown(word, all));
  if (matches.length > 1)
    return failed(`case: '${word}' is ${matches.map(({ kind, name }) => `${kind}/${name}`).join(" and ")}: write one of them\n`);
  return run(matches[0], flags.includes("--update"));
}

/** The error for an unknown name, with names that are spelt similarly or contain the word. */
function unknown(word, all) {
  const names = [...new Set(all.map(({ name }) => name))];
  const meant = nearest(word, names);
  const near = [...new Set([...(meant === undefined ? [] : [meant]), ...names.filter((name) => name.includes(word))])].slice(0, 8);
  return `case: there is no fixture '${word}'${near.length === 0 ? "" : ` (did you mean ${near.join(", ")}?)`}\n`;
}

function run({ kind, name }, update) {
  const { own, uses } = laws[kind];
  const users = uses.length === 0 ? [] : interfacesWith(kind, name);
  const files = [...own, ...(users.length === 0 ? [] : uses.map((law) => `test/laws/${law}.test.ts`))];
  const cases = [`${kind}/${name}`, ...users.map((user) => `interfaces/${user}`)];
  console.log([`${kind}/${name}`, ...(users.length === 0 ? [] : [`used by ${users.join(", ")}`])].join(", "));
  const env = { ...process.env, CASE: cases.join(","), ...(update ? { UPDATE: "1" } : {}) };
  const vitest = join(root, "node_modules/vitest/vitest.mjs");
  const args = [vitest, "run", "--config", "test/vitest.config.ts", "--passWithNoTests", ...files];
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: "inherit", env });
  return status ?? 1;
}

/** Interfaces whose configuration names the feature, as a key or in a marker: the smallest three, since they run fastest. */
function interfacesWith(kind, feature) {
  const folder = join(fixtures, "interfaces");
  const name = new RegExp(kind === "filters" ? `->\\s*${feature}\\b` : `(?<![\\w-])${feature}:`);
  return readdirSync(folder)
    .map((name) => ({ name, file: join(folder, name, "config.yaml") }))
    .filter(({ file }) => existsSync(file))
    .map(({ name, file }) => ({ name, text: readFileSync(file, "utf8") }))
    .filter(({ text }) => name.test(text))
    .toSorted((a, b) => a.text.length - b.text.length)
    .slice(0, 3)
    .map(({ name }) => name);
}

function done(text) {
  process.stdout.write(text);
  return 0;
}

function failed(text) {
  process.stderr.write(text);
  return 1;
}
