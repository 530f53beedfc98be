import { transform } from "esbuild";
import { bundle } from "../../compiler/7-link/bundle.ts";
import { printedFixture } from "./compile.ts";

/** Bytes of a bundle, as an executable carries it. */
export interface Size {
  readonly bundle: number;
  /** The size without names and blanks: a measure of what is in it. */
  readonly minified: number;
  /** The part of it that is not packages: our runtime and the module. */
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
