import { resolve } from "node:path";
import { notReviewed, unlisted } from "#runtime/enforce/enforcement.ts";
import { manifestFormat, readManifest, readManifestFile } from "#runtime/enforce/manifest.ts";
import { UsageError } from "#runtime/process/settings/usage-error.ts";
import { manifestToEnforce } from "../7-link/manifest.ts";
import type { NamedManifest } from "../7-link/virtual.ts";
import type { Planned } from "../pipeline.ts";
import type { Terminal } from "./project.ts";

export interface EnforceFlags {
  /** The file of a reviewed manifest; true to enforce the list of the configurations themselves. */
  readonly enforceManifest?: string | true | undefined;
}

/** The manifest that configurations must fit; undefined if none is enforced. */
export function manifestOf({ enforceManifest: from }: EnforceFlags, { plans }: Planned, terminal: Terminal): NamedManifest | undefined {
  if (from === undefined) return undefined;
  if (from === true) return { name: "the manifest of this build", text: manifestToEnforce(plans) };
  const read = readManifestFile(resolve(terminal.cwd, from));
  const manifest = "problem" in read ? read.problem : read.value;
  if (typeof manifest === "string") throw new UsageError(`--enforce-manifest ${from}: ${manifest}`);
  return { name: from, text: JSON.stringify({ format: manifestFormat, ...manifest }) };
}

/** Interfaces that are missing in the manifest: a build with them could never start. */
export function unreviewed({ plans }: Planned, { name, text }: NamedManifest): readonly string[] {
  const manifest = readManifest(text);
  if (typeof manifest === "string") throw new UsageError(`${name}: ${manifest}`);
  return plans.flatMap((plan) => {
    const interfaces = plan.interfaces.map((target) => {
      const { method, route } = target;
      return { ...target, ...(route === undefined ? {} : { http: { method, route } }) };
    });
    return unlisted({ name: plan.name, interfaces }, manifest).map((problem) => `${plan.file}: ${notReviewed(problem, name)}`);
  });
}
