import { type FailureKind, failureCodes } from "#runtime/value/failure.ts";

/** The page of a class of run-time failures, which `pipewright explain` prints. */
interface Failing {
  /** The cause of this class of failures. */
  readonly means: string;
  /** An example: a record of the log. */
  readonly line: string;
  readonly remedy: string;
}

/** A failure of a run: its code stands before the message in the log. The compiler never reports it for a configuration. */
export interface FailureCode {
  readonly code: string;
  readonly severity: "run time";
  /** Markdown: the meaning, a record of the log, the remedy. */
  readonly page: string;
}

/** 90x: the classes of failures, which the runtime gives their codes. */
export const failures: Readonly<Record<FailureKind, FailureCode>> = {
  evaluation: failing("evaluation", {
    means:
      "A value could not be made: a filter of a marker got data that it does not take, a field got a value of another type, a URL or a header would not have been valid.",
    line: '{"level":"error","time":"…","config":"Orders","interface":"orders","action":"Line","run_uuid":"…","at":"orders.yaml:9:15","msg":"PW900 filter to_number: expected a number, got string"}',
    remedy:
      "Test the value before it is used, with `assert` and a `http_code_on_error`, or give it a default: `a|body::quantity->default(1)|`. `at` is the action in the YAML.",
  }),
  transport: failing("transport", {
    means:
      "A service could not be reached, or the connection broke: its name has no address, nothing listens there, TLS failed, the egress rules forbid the address, or the run was cancelled.",
    line: '{"level":"error","time":"…","config":"Orders","interface":"orders","action":"Stock","run_uuid":"…","at":"orders.yaml:9:15","msg":"PW901 http connect failed: ECONNREFUSED"}',
    remedy:
      "Call the address from the same machine. `retry` helps against short outages; `http_code_on_error` and `run_when_failed` say what follows. An internal address that comes from data needs `PIPEWRIGHT_EGRESS_ALLOW`.",
  }),
  status: failing("status", {
    means: "A service answered with a status that is not expected: without `expect_status` any outside of 200 to 299.",
    line: '{"level":"error","time":"…","config":"Orders","interface":"orders","action":"Stock","run_uuid":"…","at":"orders.yaml:9:15","msg":"PW902 http status 503 is not in expect_status (2xx); to accept it set expect_status: [2xx, 503]"}',
    remedy:
      "List further statuses in `expect_status`, try again with `retry`, or hand the status on with `http_code_inherit_error`. The data of the action are what the service has answered; `--log-level debug` shows method, host, status and time of every call.",
  }),
  timeout: failing("timeout", {
    means: "An action, or one of its calls, took longer than it may.",
    line: '{"level":"error","time":"…","config":"Orders","interface":"orders","action":"Stock","run_uuid":"…","at":"orders.yaml:9:15","msg":"PW903 timed out after 5000ms"}',
    remedy: "Raise `timeout` of the action, or find out why the service is slow; `--log-level debug` shows how long each call takes.",
  }),
  assert: failing("assert", {
    means:
      "The tests of an `assert` have failed. With a status of 4xx it is the caller's mistake and a record of level `info`; without a status of its own the run is answered with 500, and the record is an `error`.",
    line: '{"level":"info","time":"…","config":"Orders","interface":"orders","action":"Order","run_uuid":"…","at":"orders.yaml:6:15","msg":"PW904 quantity::is_greater_than: expected target 0 not greater than 0"}',
    remedy:
      "The message names the value, the matcher and what was found. Give the assert `http_code_on_error: 422` if the caller has to correct it, or change the test where it is too strict.",
  }),
  transform: failing("transform", {
    means:
      "A transform of `post_transforms` could not be applied to the data: the message names its number in the list, its name, and the reason.",
    line: '{"level":"error","time":"…","config":"Orders","interface":"orders","action":"Row","run_uuid":"…","at":"orders.yaml:9:15","msg":"PW905 post_transforms[0].return_row: row 3 is out of range"}',
    remedy:
      "Test the data before, by an `assert` of the same action: it runs first. A recorded run (`capture: errors`) keeps the data that the transform got.",
  }),
  database: failing("database", {
    means: "A database refused a statement, or could not be reached. The rest of the message is its own.",
    line: '{"level":"error","time":"…","config":"Orders","interface":"orders","action":"Save","run_uuid":"…","at":"orders.yaml:9:15","msg":"PW906 database: UNIQUE constraint failed: orders.id"}',
    remedy:
      "Correct the statement or the data; for a conflict that callers may cause, write `ON CONFLICT` or give the interface a status with `http_code_on_error`. `/readyz` says whether the database answers at all.",
  }),
  command: failing("command", {
    means:
      "A command could not be started, has ended with a status that is not in `expect_exit` (0 by default), or the process does not allow commands.",
    line: '{"level":"error","time":"…","config":"Reports","interface":"report","action":"Render","run_uuid":"…","at":"reports.yaml:9:15","msg":"PW907 commands are disabled"}',
    remedy:
      "`PIPEWRIGHT_ALLOW_COMMANDS=true` allows commands. The data of a failed command are its `stdout`, `stderr` and `exit_code`: log them with `error_log`.",
  }),
  state: failing("state", {
    means: "The durable state could not be read or written: its store is full or does not answer, or several processes share no store.",
    line: '{"level":"error","time":"…","config":"Feed","interface":"poll","action":"New","run_uuid":"…","at":"feed.yaml:9:15","msg":"PW908 durable state required"}',
    remedy:
      "Set `PIPEWRIGHT_DATABASE_URL` to `postgres://…` or `sqlite:FILE`, or raise `PIPEWRIGHT_STATE_MAX_BYTES` of a process without a database.",
  }),
  response: failing("response", {
    means:
      "The answer could not be made: a template of `response` failed or was too large, or a header or status is not valid in HTTP. The caller gets 500.",
    line: '{"level":"error","time":"…","config":"Orders","interface":"orders","run_uuid":"…","at":"orders.yaml:3:3","msg":"PW909 interpolation custom_body: jq: Cannot iterate over null"}',
    remedy:
      "Give what a template reads a default (`->default(…)`), and remember that it is evaluated for failed runs, too: `error_body` is for those.",
  }),
  manifest: failing("manifest", {
    means:
      "A manifest is enforced (`--enforce-manifest`), and a run was about to use something outside that the manifest does not list for its interface. Nothing was sent. At a start the code names an interface that the manifest does not list, or lists with another route: the process then ends with status 78.",
    line: '{"level":"error","time":"…","config":"Orders","interface":"orders","action":"Audit","run_uuid":"…","at":"orders.yaml:26:15","msg":"PW910 manifest: host \'audit.example.net\' is not listed for interface \'orders\'"}',
    remedy:
      "Find out why it is used: `pipewright diff manifest.json .` shows what the configuration does that was not reviewed. If that is right, build again, review the new `manifest.json`, and start with it. If a redirect led to another host, call that host itself, or list it.",
  }),
};

/** All failures, for `explain` and the reference. */
export const allFailures: readonly FailureCode[] = Object.values(failures);

function failing(kind: FailureKind, { means, line, remedy }: Failing): FailureCode {
  return {
    code: failureCodes[kind],
    severity: "run time",
    page: `${means}\n\nIn the log:\n\n\`\`\`json\n${line}\n\`\`\`\n\nRemedy: ${remedy}\n`,
  };
}
