import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { findConfigs, findModules, readText } from "../../../compiler/1-read/files.ts";
import { type Planned, planTexts, type SourceText } from "../../../compiler/pipeline.ts";
import { sharedFolder } from "../../harness/folders.ts";
import { type Fault, faultsIn } from "./faults.ts";

// Forty faults put into the example packs at places that a seed chooses: how many of them `check` finds.

const folder = sharedFolder("packs");
const codes: readonly string[] = ["PW277", "PW278", "PW279", "PW280", "PW283", "PW284", "PW286", "PW287"];

test.skipIf(folder === undefined).each([1, 2, 3])("faults in packs are found (seed %i)", (seed) => {
  const packs = packsIn(fileURLToPath(folder ?? ""));
  const faults = faultsIn(new Map([...packs].map(([file, { text }]) => [file, text])), seed);
  const missed = faults.filter((fault) => !isFound(fault, packs));
  const line = ({ rule, file, start, text }: Fault): string => {
    const before = packs.get(file)?.text ?? "";
    return `${file}:${before.slice(0, start).split("\n").length} ${rule}: ${text}`;
  };
  const rules = Object.entries(Object.groupBy(faults, ({ rule }) => rule)).map(([rule, all]) => `${all?.length} ${rule}`);
  console.log(`${faults.length - missed.length} of ${faults.length} faults are found (${rules.join(", ")})`);
  expect(faults).toHaveLength(40);
  expect(missed.map(line)).toEqual([]);
});

interface File {
  readonly text: string;
  readonly modules: readonly SourceText[];
  /** The warnings that it has as it is. */
  readonly known: ReadonlySet<string>;
}

/** The configurations of the packs that are sound alone, by their names. */
function packsIn(root: string): ReadonlyMap<string, File> {
  const names = readdirSync(root, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return new Map(
    names.flatMap(({ name }) => {
      const modules = findModules(["."], `${root}/${name}`).flatMap((found): SourceText[] => {
        const read = readText(found, () => undefined);
        return read === undefined ? [] : [{ file: found.file, text: read.text }];
      });
      return findConfigs(["."], `${root}/${name}`).flatMap(({ file, path }): [string, File][] => {
        const text = readFileSync(path, "utf8");
        const planned = planTexts([{ file: `${name}/${file}`, text }], { modules });
        return planned.failed ? [] : [[`${name}/${file}`, { text, modules, known: warningsOf(planned) }]];
      });
    }),
  );
}

const warningsOf = ({ diagnostics }: Planned): ReadonlySet<string> =>
  new Set(diagnostics.filter(({ code }) => codes.includes(code)).map(({ code, message }) => `${code} ${message}`));

function isFound({ file, start, end, text }: Fault, packs: ReadonlyMap<string, File>): boolean {
  const pack = packs.get(file);
  if (pack === undefined) throw new Error(`no ${file}`);
  const planned = planTexts([{ file, text: `${pack.text.slice(0, start)}${text}${pack.text.slice(end)}` }], { modules: pack.modules });
  return planned.failed || [...warningsOf(planned)].some((each) => !pack.known.has(each));
}
