import { type ExecFileException, execFile } from "node:child_process";
import { touches } from "../../outgoing/touches.ts";
import { commandWords } from "../../process/command-line.ts";
import type { Run } from "../../run/run.ts";
import { Failure } from "../../value/failure.ts";
import type { Json, JsonObject } from "../../value/json.ts";
import { text } from "../../value/values.ts";
import type { SecretStoreFeature } from "../feature.ts";

const limitMs = 10_000;
const mostBytes = 1_048_576;

/**
 * Fetches a secret that a command prints, without the line break at its end. Its words are passed as they are; only with `shell` does a
 * shell read the line. It runs in the environment of the process but for `PIPEWRIGHT_*`, for at most 10 seconds, and only where commands
 * are allowed (spec/surfaces 11).
 */
export async function command_secret({ data = null, shell = null }: JsonObject, cx: Run): Promise<Json> {
  const { host } = cx;
  if (host.env("PIPEWRIGHT_ALLOW_COMMANDS") !== "true") throw bad("commands are not allowed (PIPEWRIGHT_ALLOW_COMMANDS)");
  const line = text(data);
  touches(cx, { kind: "commands", name: line, of: shell === null ? "program" : text(shell) });
  const [file, ...args] = shell === null ? (commandWords(line) ?? []) : [...(commandWords(text(shell)) ?? []), "-c", line];
  if (file === undefined) throw bad("data is no command line");
  return new Promise((resolve, reject) => {
    execFile(
      file,
      args,
      { timeout: limitMs, killSignal: "SIGKILL", maxBuffer: mostBytes, windowsHide: true, env: host.inherited() },
      (error, stdout) => {
        if (error === null) resolve(stdout.replace(/\r?\n$/, ""));
        else reject(failure(error));
      },
    );
  });
}

/** The failure of a command. It shows neither the command line nor its output: both may hold secrets. */
function failure(error: ExecFileException): Failure {
  const { code, killed, signal } = error;
  if (code === "ERR_CHILD_PROCESS_STDIO_MAXBUFFER") return bad(`its command printed more than ${mostBytes} bytes`);
  if (killed === true) return new Failure("timeout", `its command took longer than ${limitMs / 1000} s`);
  if (typeof code === "number") return bad(`its command ended with ${String(code)}`);
  return bad(signal ? `its command ended by ${signal}` : `its command cannot be started (${code ?? "unknown"})`);
}

const bad = (reason: string): Failure => new Failure("evaluation", reason);

export const spec: SecretStoreFeature = {
  summary: "The output of a command.",
  schema: {
    type: "object",
    properties: {
      data: { type: "string", description: "Command line that prints it." },
      shell: {
        type: "string",
        description: "Shell that reads the command line, such as /bin/sh; without it the words are passed as they are.",
      },
    },
  },
  needs: ["data"],
  touches: { command: "data" },
  run: command_secret,
};
