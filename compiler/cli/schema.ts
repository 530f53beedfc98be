import * as features from "#generated/features.ts";
import { assembleSchema, moduleSchema } from "../2-check/schema.ts";
import { testSchema } from "../testing/schema.ts";
import type { Terminal } from "./project.ts";
import { status } from "./status.ts";
import { writeReport } from "./written.ts";

interface SchemaFlags {
  readonly out?: string;
  /** True for the schema of files below `modules/` instead of configurations. */
  readonly modules?: boolean;
  /** True for the schema of files of contract tests. */
  readonly tests?: boolean;
}

/**
 * Prints the JSON Schema of configurations, of modules or of contract tests, for editors. Each is a single document without references to
 * others.
 */
export function schema({ out, modules, tests }: SchemaFlags, terminal: Terminal): number {
  const config = assembleSchema(features);
  const ofConfigs = modules === true ? { ...moduleSchema(""), $defs: config.$defs ?? {} } : config;
  const content = tests === true ? testSchema() : ofConfigs;
  const text = `${JSON.stringify(content, null, 2)}
`;
  if (out === undefined) terminal.out(text);
  else writeReport(out, text, "a schema", terminal);
  return status.done;
}
