import { touches } from "../../../outgoing/touches.ts";
import { commandWords } from "../../../process/command-line.ts";
import type { Run } from "../../../run/run.ts";
import { Failure } from "../../../value/failure.ts";
import { isObject } from "../../../value/json.ts";
import { runProcess } from "../command/process.ts";
import type { ExpiringCredentials } from "./model.ts";
import { bad, jsonOf, temporary } from "./temporary.ts";

const limitMs = 60_000;

/**
 * The credentials that the `credential_process` of a profile prints, where the operator allows commands. Its words are passed as they are,
 * without a shell. Neither the line nor what it printed is shown: both may hold secrets.
 */
export async function fromProcess(run: Run, line: string): Promise<ExpiringCredentials> {
  const { host } = run;
  if (host.env("PIPEWRIGHT_ALLOW_COMMANDS") !== "true") throw bad("aws: credential_process needs PIPEWRIGHT_ALLOW_COMMANDS");
  touches(run, { kind: "commands", name: line, of: "program" });
  const [program, ...args] = commandWords(line) ?? [];
  if (program === undefined) throw bad("aws: credential_process is no command line");
  const ended = await runProcess(run.aside("aws"), { program, args, env: { ...host.inherited() } }, limitMs).catch((error: unknown) => {
    if (!(error instanceof Failure)) throw error;
    throw new Failure(error.kind, `aws: credential_process: ${error.message}`);
  });
  if (ended.code !== 0) throw bad(`aws: credential_process ended with ${ended.code ?? ended.signal ?? "nothing"}`);
  const answer = jsonOf(ended.stdout.toString("utf8")) ?? null;
  const result = isObject(answer) && answer.Version === 1 ? temporary(answer) : undefined;
  if (result === undefined) throw bad("aws: credential_process printed no credentials of version 1");
  return result;
}
