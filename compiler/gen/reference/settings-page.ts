import type { FlagRecord } from "#runtime/process/settings/flags.ts";
import type { VariableRecord } from "#runtime/process/settings/variable-record.ts";
import { row } from "./argument-table.ts";
import { notice } from "./feature-page.ts";

type Flags = Readonly<Record<string, FlagRecord>>;

/** reference/settings.md: flags and variables of a serving process. */
export function settingsPage(flags: Flags, ofCommands: Flags, variables: Readonly<Record<string, VariableRecord>>): string {
  const groups = [...Map.groupBy(Object.entries(variables), ([, { group }]) => group)].map(
    ([group, variables]) => `### ${group}\n\n${table(["Variable", "Default", "Meaning", "Example"], variables.map(variableLine))}`,
  );
  const alone = { healthcheck: flags.healthcheck, version: flags.version, help: flags.help };
  const shared = Object.entries(flags).filter(([name]) => !Object.hasOwn(alone, name) && name !== "env");
  const ofExecutables = Object.entries(flags).filter(([name]) => !shared.some(([one]) => one === name));
  return [
    `${notice}\n\n# Settings\n\n${lead}\n`,
    `## Flags\n\nAn executable, \`serve\` and \`dev\` take these; \`dev\` listens on 127.0.0.1 and is one process.\n\n${flagTable(shared)}`,
    `Only an executable takes these:\n\n${flagTable(ofExecutables)}`,
    `Only the commands take these; for an executable they were fixed when it was built. Only \`serve\` takes \`--keep-going\`.\n\n${flagTable(Object.entries(ofCommands))}`,
    "## Variables\n",
    ...groups,
    `### Variables of OpenTelemetry\n\n${telemetry}\n`,
  ].join("\n");
}

const lead = `Flags and environment variables set how a process serves; a flag wins over its variable, and a variable of the environment over one of \`--dotenv\`.
A flag that is wrong ends the process with status 3, a wrong variable with status 78 and a line that says what to set; variables of parts that the configurations do not use may not be checked. Guide: \`docs/deploying.md\` of the repository.`;

const telemetry = `The names of OpenTelemetry itself are read, too, where ours is not set: \`OTEL_EXPORTER_OTLP_ENDPOINT\`, \`OTEL_EXPORTER_OTLP_HEADERS\`, \`OTEL_EXPORTER_OTLP_TIMEOUT\`,
\`OTEL_EXPORTER_OTLP_COMPRESSION\` and \`OTEL_EXPORTER_OTLP_PROTOCOL\`, each also as \`OTEL_EXPORTER_OTLP_TRACES_…\`; \`OTEL_SERVICE_NAME\`, \`OTEL_RESOURCE_ATTRIBUTES\`, \`OTEL_TRACES_SAMPLER\`,
\`OTEL_TRACES_SAMPLER_ARG\`, \`OTEL_TRACES_EXPORTER\` and \`OTEL_SDK_DISABLED\`. Traces (\`docs/traces.md\`) says what they mean.`;

const flagTable = (flags: readonly (readonly [string, FlagRecord])[]): string =>
  table(
    ["Flag", "Default", "Meaning"],
    flags.map(([name, { value, preset, meaning }]) =>
      row([`\`--${name}${value === undefined ? "" : ` ${value}`}\``, preset === undefined ? "" : `\`${preset}\``, sentence(meaning)]),
    ),
  );

const variableLine = ([name, { preset, meaning, example, secret }]: readonly [string, VariableRecord]): string =>
  row([
    `\`${name}\``,
    preset === undefined ? "" : `\`${preset}\``,
    `${meaning}${secret === true ? " No configuration may read it." : ""}`,
    `\`${example}\``,
  ]);

/** A text of the help as a sentence. The help begins with a small letter and ends without a full stop. */
const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

const table = (heads: readonly string[], lines: readonly string[]): string =>
  `${[row(heads), row(heads.map(() => "---")), ...lines].join("\n")}\n`;
