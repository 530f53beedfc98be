import { transform } from "esbuild";
import { bundle } from "../../compiler/7-link/bundle.ts";
import { printedFixture } from "./compile.ts";

/** Bytes of a bundle, as an executable carries it. */
export interface Size {
  readonly bundle: number;
  /** Size after minifying, which measures the code without long names and blanks. */
  readonly minified: number;
  /** The part of `minified` that is our runtime and the module, without npm packages. */
  readonly own: number;
}

/** Sizes of the bundle of a fixture's config. */
export async function sizeOf(fixture: string): Promise<Size> {
  const module = await printedFixture(fixture);
  const { code, metafile } = await bundle([module], { environment: "test", format: "cjs" });
  const minified = await transform(code, { minify: true, target: "node24", charset: "utf8", legalComments: "none" });
  const parts = Object.values(metafile.outputs).flatMap(({ inputs }) => Object.entries(inputs));
  const own = parts.filter(([path]) => !/^[@\w./-]+@\d/.test(path));
  return {
    bundle: Buffer.byteLength(code),
    minified: Buffer.byteLength(minified.code),
    own: own.reduce((sum, [, { bytesInOutput }]) => sum + bytesInOutput, 0),
  };
}
