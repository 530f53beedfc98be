import { analyse, type ConfigUses } from "../../compiler/5-analyse/index.ts";
import type { PrintedModule } from "../../compiler/6-print/index.ts";
import { type Planned, planTexts, printAll } from "../../compiler/pipeline.ts";
import { readFixture } from "./folders.ts";

/** Plans one config. Throws when it has errors, since then the test is wrong. */
export function planned(text: string, file = "config.yaml"): Planned {
  const found = planTexts([{ file, text }]);
  if (found.failed) throw new Error(`the config does not compile:\n${complaints(found).join("\n")}\n\n${text}`);
  return found;
}

const plannedFixtures = new Map<string, Planned>();

/** The plan of a fixture of the interfaces. Laws share a process and its plans, so that no law may change a plan. */
export function plannedFixture(name: string, file = "config.yaml"): Planned {
  const plan = plannedFixtures.get(`${name}/${file}`) ?? planned(readFixture("interfaces", name, "config.yaml"), file);
  plannedFixtures.set(`${name}/${file}`, plan);
  return plan;
}

const printedFixtures = new Map<string, Promise<PrintedModule>>();

/** The module of a fixture of the interfaces, printed or with its plan as data. */
export function printedFixture(name: string, { interpret = false, file = "config.yaml" } = {}): Promise<PrintedModule> {
  const key = `${name}/${file}/${interpret}`;
  const module = printedFixtures.get(key) ?? printOne(plannedFixture(name, file), { interpret });
  printedFixtures.set(key, module);
  return module;
}

/** `config.yaml:3:5: PW301: message`, errors only. */
export function complaints({ diagnostics, sources }: Planned): readonly string[] {
  return diagnostics
    .filter(({ severity }) => severity === "error")
    .map(({ code, at, message }) => {
      const { line, column } = sources.lines(at.file).at(at.start);
      return `${at.file}:${line}:${column}: ${code}: ${message}`;
    });
}

/** The module of a single config, printed or with its plan as data. */
export async function printOne(plan: Planned, how: { readonly interpret: boolean } = { interpret: false }): Promise<PrintedModule> {
  const [module] = await printAll(plan, how);
  if (module === undefined) throw new Error("nothing was planned");
  return module;
}

/** The needs of a module that is written by hand: no part that a link could leave out. */
export const nothingUsed: ConfigUses = analyse(
  {
    ...{ name: "empty", file: "empty.yaml", variables: [], secrets: [], databases: [], interfaces: [] },
    needs: { env: [], vars: [], secrets: [] },
  },
  () => undefined,
).uses;
