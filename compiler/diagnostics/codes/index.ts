import { sources } from "./actions.ts";
import { agents } from "./agents.ts";
import { bodies } from "./bodies.ts";
import { build } from "./build.ts";
import { cloud } from "./cloud.ts";
import type { DiagnosticCode } from "./code.ts";
import { contractTests } from "./contract-tests.ts";
import { contracts } from "./contracts.ts";
import { databases } from "./databases.ts";
import { config, ignored, shape } from "./file.ts";
import { flow, routes } from "./flow.ts";
import { leaks } from "./leaks.ts";
import { marker } from "./marker.ts";
import { tools } from "./mcp.ts";
import { mqtt } from "./mqtt.ts";
import { names } from "./names.ts";
import { network } from "./network.ts";
import { realtime } from "./realtime.ts";
import { schedule } from "./schedule.ts";
import { shapes } from "./shapes.ts";
import { tests } from "./tests.ts";
import { transforms } from "./transforms.ts";
import { values } from "./values.ts";
import { yaml } from "./yaml.ts";

/** The tables by name: the sources write `yaml.syntax` for PW101. */
export const codeTables: Readonly<Record<string, Readonly<Record<string, DiagnosticCode<never>>>>> = {
  yaml,
  shape,
  config,
  ignored,
  contracts,
  contractTests,
  cloud,
  marker,
  leaks,
  names,
  flow,
  routes,
  tools,
  network,
  schedule,
  realtime,
  mqtt,
  sources,
  agents,
  bodies,
  databases,
  tests,
  transforms,
  values,
  shapes,
  build,
};

/** Every diagnostic of the compiler, by code. A code with two severities has two entries. */
export const allCodes: readonly DiagnosticCode<never>[] = Object.values(codeTables)
  .flatMap((table) => Object.values(table))
  .sort((a, b) => (a.code < b.code ? -1 : a.code > b.code ? 1 : 0));
