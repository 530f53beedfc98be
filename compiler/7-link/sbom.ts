import { present } from "../present.ts";
import type { Package } from "./root.ts";

export interface SbomInput {
  /** The name of the service, and below it the version that the service reports. */
  readonly name: string;
  readonly version: string;
  /** Version of pipewright. */
  readonly pipewright: string;
  readonly packages: readonly Package[];
  /** Version of the Node inside the executables; absent when none was built. */
  readonly node: string | undefined;
}

/**
 * The SBOM in CycloneDX 1.6. It lists the packages that are really in the bundle, not all installed ones. It has no serial number and no
 * time, which are optional in the format.
 */
export function sbom({ name, version, pipewright, packages, node }: SbomInput): string {
  const libraries = packages.map(library);
  const platform = node === undefined ? [] : [nodeComponent(node)];
  const service = { type: "application", "bom-ref": "service", name, version };
  const components = [...libraries, ...platform];
  const content = {
    $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: { tools: { components: [{ type: "application", name: "pipewright", version: pipewright }] }, component: service },
    components,
    dependencies: [{ ref: "service", dependsOn: components.map((component) => component["bom-ref"]) }],
  };
  return `${JSON.stringify(content, null, 2)}\n`;
}

function library({ name, version, licence }: Package) {
  const purl = `pkg:npm/${name.replace(/^@/, "%40")}@${version}`;
  const [group, short] = name.startsWith("@") ? name.split("/") : [undefined, name];
  return {
    type: "library",
    "bom-ref": purl,
    ...present({ group }),
    name: short ?? name,
    version,
    purl,
    ...(licence === undefined ? {} : { licenses: [{ expression: licence }] }),
  };
}

function nodeComponent(version: string) {
  const purl = `pkg:github/nodejs/node@v${version}`;
  return {
    type: "platform",
    "bom-ref": purl,
    name: "node",
    version,
    purl,
    licenses: [{ license: { name: "Node.js licence, see LICENSES.txt" } }],
  };
}
