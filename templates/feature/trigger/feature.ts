import type { Trigger } from "../run/interface.ts";
import { LiveRun } from "../run/live-run.ts";
import { bareRequest } from "../run/request.ts";
import { bound } from "./bound.ts";
import { beginRun } from "./message-run.ts";

/** Runs each interface once, when the process starts, with the settings as its body. Say when it runs, and how it is stopped. */
export const feature_name_trigger: Trigger = (host, config) => ({
  missing: async () => [],
  start: () => {
    for (const { target, settings } of bound(host, config, "feature_name")) {
      const request = { ...bareRequest(host, "feature_name"), body: settings };
      beginRun(new LiveRun(host, config, target, request), () => undefined);
    }
  },
  stop: () => undefined,
});
