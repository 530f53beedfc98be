import { type Definitions, duration, record, text } from "./shapes.ts";

/** Records of actions that talk to services (spec/surfaces 13 to 15): known to the schema, not yet compiled. */
export const serviceRecords: Definitions = {
  WaitForCallback: record(
    "WaitForCallback",
    "Waits until somebody resumes the run.",
    { token: text("Secret that identifies the wait."), timeout: duration("Longest wait.") },
    ["token", "timeout"],
  ),
};
