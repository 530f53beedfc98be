import { fileURLToPath } from "node:url";
import { build, type Metafile } from "esbuild";
import type { PrintedModule } from "../../compiler/6-print/index.ts";
import { commonOptions, outputOf } from "../../compiler/7-link/bundle.ts";
import { printedModules } from "../../compiler/7-link/modules.ts";
import { virtualModules } from "../../compiler/7-link/virtual.ts";
import { root } from "./folders.ts";

/** A link of one module and its imports from the runtime, without a trigger and packages. It holds only code that the config needs. */
export async function smallLink(module: PrintedModule): Promise<{ readonly code: string; readonly files: readonly string[] }> {
  const folder = fileURLToPath(root);
  const result = await build({
    ...commonOptions(folder, 'export { configs } from "pipewright:configs";'),
    format: "esm",
    packages: "external",
    metafile: true,
    plugins: [virtualModules(printedModules([module]), { constants: {} }, folder)],
  });
  return { code: outputOf(result).code, files: filesIn(result.metafile) };
}

/** Files with at least one byte in the output, as `runtime/run/run.ts`. */
export function filesIn({ outputs }: Metafile): readonly string[] {
  const inputs = Object.values(outputs).flatMap((output) => Object.entries(output.inputs));
  return [...new Set(inputs.flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : [])))].sort();
}
