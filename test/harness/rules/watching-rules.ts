import { host, model, texts } from "./import-groups.ts";
import type { Rule } from "./import-rule.ts";

/** The rules of the parts by which people and machines watch a process: the admin API, the console, the nodes, metrics and traces. */
export const watching: readonly Rule[] = [
  {
    files: "runtime/admin/*.ts",
    may: [...texts, "runtime/admin/*.ts", "runtime/{capture/query,process/side-server,triggers/http/body}.ts", "node"],
    types: [host, ...model, "runtime/capture/recording.ts", "runtime/process/settings/admin-options.ts"],
  },
  // The console is an optional part of the admin API; only some bundles carry it.
  {
    files: "runtime/console/*.ts",
    may: [
      ...texts,
      "runtime/{admin,console}/*.ts",
      "runtime/cluster/page.ts",
      "runtime/capture/query.ts",
      "runtime/triggers/pages.ts",
      "packages",
      "node",
    ],
    types: [host, ...model, "runtime/capture/recording.ts", "runtime/metrics/meter.ts"],
  },
  // Nodes of a service see each other, and count together, by the store that they share.
  {
    files: "runtime/cluster/*.ts",
    may: [
      ...texts,
      "runtime/{cluster,store}/*.ts",
      "runtime/state/{durability,own-namespaces}.ts",
      "runtime/capture/bundle.ts",
      "runtime/process/{node-name,product,workers/crew}.ts",
      "node",
    ],
    types: [host, ...model, "runtime/run/caller.ts"],
  },
  {
    files: "runtime/metrics/*.ts",
    may: [...texts, "runtime/{metrics/*,process/side-server}.ts", "packages", "node"],
    types: [host, "runtime/bus/*.ts"],
  },
  {
    files: "runtime/tracing/*.ts",
    may: [...texts, "runtime/tracing/*.ts", "packages", "node"],
    types: [host, ...model, "runtime/process/settings/tracing-options.ts"],
  },
];
