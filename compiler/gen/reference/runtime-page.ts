import { type FacadeEntry, sectionTitle } from "../facade.ts";
import { row } from "./argument-table.ts";
import { notice } from "./feature-page.ts";

/** reference/runtime.md: every name of `pipewright/runtime`, by section. */
export function runtimePage(entries: readonly FacadeEntry[], runtime: string): string {
  const sections = [...Map.groupBy(entries, ({ section }) => section)]
    .filter(([section]) => section !== "features")
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([section, exports]) => {
      const lines = exports.map(({ name, meaning, isType }) => row([`\`${name}\``, isType ? `Type. ${meaning}` : meaning]));
      return `## ${section}\n\n${sectionTitle(runtime, section)}\n\n${[row(["Name", "Meaning"]), row(["---", "---"]), ...lines].join("\n")}\n`;
    });
  return [`${notice}\n\n# The runtime\n\n${lead}`, ...sections].join("\n");
}

const lead = `A printed module has one import, \`import * as pw from "pipewright/runtime"\`. It is the only public part of the runtime; everything else may move between two
versions. A bundle carries what its modules call and no more. A change of a name on this page is listed under **Generated code** in the changelog.

A name in snake_case is a word of the configuration. Every [transform, matcher and action](README.md) and every driver of databases has its own name. With an ending it is a part of that feature:

| Ending | Meaning |
| --- | --- |
| \`regex_prepare\` | Parses the arguments, once for the module when they are constant. |
| \`regex_native\` | The same for a pattern that JavaScript matches as RE2 does. |
| \`bcrypt_plain\` | The same without a filter of jq. |
| \`is_equal_to_holds\` | Says only whether the matcher passes. |
| \`vault_secret\` | The store of a secret. |
| \`upper_filter\` | The [filter](markers/filters.md) of a marker. |
`;
