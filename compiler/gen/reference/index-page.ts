import type { AnyFeature } from "#runtime/features/feature.ts";
import { row } from "./argument-table.ts";
import { type Documented, inShort, severities } from "./diagnostic-page.ts";
import { notice, type PagedKind, pagedKinds } from "./feature-page.ts";
import { type KeyPage, keyPages } from "./keys/layout.ts";

/** The features that the index lists. */
export interface Contents {
  readonly features: Readonly<Record<PagedKind, Readonly<Record<string, AnyFeature>>>>;
}

/** reference/README.md: a table of each kind of page. It has no links to the pages of matchers, which the package leaves out. */
export function indexPage({ features }: Contents): string {
  const kindSections = (Object.keys(pagedKinds) as PagedKind[]).map((kind) => {
    const lines = Object.entries(features[kind]).map(([name, { summary }]) =>
      row([kind === "matchers" ? `\`${name}\`` : `[${name}](${kind}/${name}.md)`, summary]),
    );
    return `## ${pagedKinds[kind]}s\n\n${leads[kind]}${table(["Name", "Summary"], lines)}`;
  });
  return [
    `${notice}\n\n# Reference\n`,
    `## Keys\n\n${explained}\n\n${table(["Page", "Keys"], keyPages.map(keyLine))}`,
    "## Contract tests\n\n- [Contract tests](contract-tests.md): keys of files `*.test.yaml`\n",
    "## Settings\n\n- [Settings](settings.md): flags and environment variables of a serving process\n",
    ...kindSections,
    "## Markers\n\n- [Roots](markers/roots.md): what a marker reads\n- [Filters](markers/filters.md): what changes its value\n",
    "## Printed modules\n\nWhat they call as `pw` has its page in the repository, `generated/reference/runtime.md`; the package has the declarations of `pipewright/runtime`.\n",
    "## Diagnostics\n\n`pipewright explain PW301` prints the page of a code. In the repository all pages are in the folder `diagnostics`.\n",
  ].join("\n");
}

/** reference/diagnostics/README.md: the codes. The package leaves these pages out, since the command prints them. */
export function codesPage(diagnostics: readonly Documented[]): string {
  const codes = diagnostics.map((one) => row([`[${one.code}](${one.code}.md)`, severities(one), inShort(one)]));
  return `${notice}\n\n# Diagnostics\n\n${table(["Code", "Severity", "Meaning"], codes)}`;
}

const explained = `Each page has tables of keys. *Default* is what holds where the key is left out. *Markers* says whether a [marker](../../docs/configuration.md#markers) may stand in
the value: "yes" takes every marker that can be read there, "of env, var and ap_var" only those, when the process starts, "of the configuration only" none of the request, "in its keys" follows
from the table of the map; any other word says how the value is filled in. "Stay as written": the value is shown as it is.`;

const keyLine = ({ file, title, summary }: KeyPage): string => row([`[${title}](${file})`, summary]);

const leads: Readonly<Record<PagedKind, string>> = {
  transforms: "How each is compiled, with which packages and bounds: [how transforms run](transforms/README.md).\n\n",
  matchers: "In the repository each has a page in the folder `matchers`.\n\n",
  actions: "",
};

function table(heads: readonly string[], lines: readonly string[]): string {
  return `${[row(heads), row(heads.map(() => "---")), ...lines].join("\n")}\n`;
}
