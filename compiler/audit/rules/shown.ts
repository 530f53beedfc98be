import { type AuditRule, startOf } from "../rule.ts";

/** Rules about what callers, logs and records see. */
export const shown: readonly AuditRule[] = [
  {
    name: "error-detail",
    severity: "medium",
    why: "Texts of databases and services reach callers: names of tables, addresses, parts of queries.",
    remedy: "leave show_error_detail out where callers are not your own",
    find: ({ plan, at }) => (plan.show_error_detail ? [{ at, text: "callers see the details of errors" }] : []),
  },
  {
    name: "recorded-runs",
    severity: "medium",
    why: "Bodies and answers of all runs are kept, with the personal data in them.",
    remedy: "record errors alone (`mode: errors`), and for a bounded time",
    find: ({ plan, at }) => (plan.capture?.mode === "all" ? [{ at, text: "all runs are recorded" }] : []),
  },
  {
    name: "open-docs",
    severity: "low",
    why: "The API document is served to everybody, with every route that has one.",
    remedy: "set PIPEWRIGHT_DOCS=off where it is not for the public",
    findConfig: (config, at) => (config.docs === undefined ? [] : [{ at, text: "its API document is open" }]),
  },
  {
    name: "open-metrics",
    severity: "low",
    why: "Who reaches the port of the metrics sees names of interfaces and how often they are called.",
    remedy: "let only your collector reach the port of the metrics",
    findConfig: (config) => (config.expose_metrics === undefined ? [] : [{ at: startOf(config), text: "its metrics are exposed" }]),
  },
];
