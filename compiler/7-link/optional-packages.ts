import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { BuildFailure, Plugin } from "esbuild";
import { LinkFailure } from "./failure.ts";
import { installed } from "./node.ts";
import { ownPackage } from "./root.ts";

/** Packages that are too large to install for all users, each with its purpose. A user who needs one installs it beside pipewright. */
const optional: Readonly<Record<string, string>> = { tedious: "SQL Server" };

/**
 * Leaves out optional packages that are not installed. If configurations of the link need such a package, the link fails with a remedy. A
 * link without fixed configurations fails only when a run needs the package.
 */
export const optionalPackages = (isNeeded: boolean): Plugin => ({
  name: "optional-packages",
  setup(build) {
    build.onResolve({ filter: new RegExp(`^(?:${Object.keys(optional).join("|")})$`) }, ({ path }) => {
      if (installed(ownPackage().folder, `${path}/package.json`) !== undefined) return undefined;
      return isNeeded ? { errors: [{ text: `${path} is not installed`, detail: absent(path) }] } : { path, external: true };
    });
  },
});

function absent(name: string): LinkFailure {
  const manifest: { peerDependencies: Readonly<Record<string, string>> } = JSON.parse(
    readFileSync(join(ownPackage().folder, "package.json"), "utf8"),
  );
  const spec = `${name}@${manifest.peerDependencies[name]}`;
  return new LinkFailure(
    `${optional[name]} needs the package ${name}, which does not come with pipewright, since few need it and it is large`,
    `npm install --save-dev --save-exact ${spec} (where pipewright is installed with -g: npm install -g ${spec})`,
  );
}

/** The `LinkFailure` for a missing optional package, taken out of the error of esbuild; any other error unchanged. */
export function linkFailureOf(error: unknown): unknown {
  const { errors = [] } = error as Partial<BuildFailure>; // esbuild's errors have them
  return errors.map(({ detail }) => detail).find((detail) => detail instanceof LinkFailure) ?? error;
}
