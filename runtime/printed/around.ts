// Options of an action: what happens before and after its attempts.
export {
  /** `stream`: forwards the text of a response to a channel while it arrives. */
  stream,
} from "../features/actions/http/forward.ts";
export {
  /** `retry`: attempts the action again when it has failed. */
  retry,
} from "../run/around/retry.ts";
export {
  /** Fetches secrets before the first action of a run. */
  loadSecrets,
  /** Fetches the secrets that an attempt reads. */
  secrets,
} from "../run/around/secrets.ts";
export {
  /** `timeout`: ends the action, its waits and its attempts after this time. */
  timeout,
} from "../run/around/timeout.ts";
export {
  /** Writes the log lines of an action. */
  logs,
} from "../run/steps/logs.ts";
export {
  /** Fetches values of the state store that are read outside of actions. */
  loadStates,
} from "../state/load.ts";
