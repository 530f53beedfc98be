import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { BuildFailure, Plugin } from "esbuild";
import { LinkFailure } from "./failure.ts";
import { installed } from "./node.ts";
import { ownPackage } from "./root.ts";

/** Packages that are too heavy for everybody: who needs one installs it beside us. Each with its purpose. */
const optional: Readonly<Record<string, string>> = { tedious: "SQL Server" };

/**
 * Leaves out optional packages that are not installed. A link whose configurations need one fails, with a word on what to do; one that is
 * made for whatever comes later says so when it is run.
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

/** Turns the error of a link that lacks an optional package into what is said about it. */
export function linkFailureOf(error: unknown): unknown {
  const { errors = [] } = error as Partial<BuildFailure>; // esbuild's errors have them
  return errors.map(({ detail }) => detail).find((detail) => detail instanceof LinkFailure) ?? error;
}
