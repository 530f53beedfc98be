import { planTexts, printAll } from "../../../compiler/pipeline.ts";
import type { Files } from "../../../templates/playground/compiled.ts";

const isModule = ([name]: readonly [string, string]): boolean => name.startsWith("modules/");
const sourcesOf = (files: Files) => files.map(([file, text]) => ({ file, text }));
/** The result of `check` and `generate` for the files of a playground. */
export const commanded = async (files: Files) => {
  const planned = planTexts(sourcesOf(files.filter((each) => !isModule(each))), { modules: sourcesOf(files.filter(isModule)) });
  return { ...planned, modules: planned.failed ? [] : await printAll(planned) };
};
