import { isUtf8 } from "node:buffer";
import { parseJsonFor } from "../../formats/json-text.ts";
import { type Touch, touches } from "../../outgoing/touches.ts";
import type { Act } from "../../run/run.ts";
import { argument, onlyValue } from "../../shapes/arguments.ts";
import { textFormatShape } from "../../shapes/formats.ts";
import { any, array, byType, nothing, number, object, type Shape, string, union } from "../../shapes/shape.ts";
import { Failure } from "../../value/failure.ts";
import type { Json } from "../../value/json.ts";
import { text } from "../../value/values.ts";
import type { Action } from "../feature.ts";
import { type CommandLine, invocation, lineOf } from "./command/invocation.ts";
import { type Parse, parsed, textOf } from "./command/parse.ts";
import { type Ended, runProcess } from "./command/process.ts";
import { schema } from "./command/schema.ts";

/** A `command` block after evaluation. Null means unset, as for every field that held a marker. */
export interface CommandArgs {
  readonly run: CommandLine;
  /** Program and arguments before the script; `/bin/sh -c` by default. */
  readonly shell?: string | null;
  /** Milliseconds of one attempt. */
  readonly timeout?: number | null;
  readonly expect_exit?: Json;
  readonly parse?: Parse | null;
  readonly parse_stderr?: Parse | null;
  readonly output_stdout?: boolean | null;
}

/**
 * Runs a command (spec/language 5.2). Refused unless the process was started with commands allowed. Its child processes are killed with it
 * when its time is over or the run is cancelled.
 */
export async function command(act: Act, args: CommandArgs): Promise<Json> {
  const { host } = act.run;
  if (host.env("PIPEWRIGHT_ALLOW_COMMANDS") !== "true") throw new Failure("command", "commands are disabled");
  touches(act.run, touched(args));
  const line = invocation(args.run, args.shell ?? "/bin/sh -c", host.inherited());
  const running = runProcess(act, line, args.timeout ?? 30_000);
  act.run.shared.exchanges?.started(act, lineOf(line), running);
  const ended = await running;
  if (args.output_stdout === true) host.print(ended.stdout);
  if (!isExpected(args.expect_exit ?? 0, ended.code)) {
    const { stdout, stderr, code, signal } = ended;
    const how = code === null ? `command was ended by ${signal}` : `command exited with ${code}`;
    throw new Failure("command", how, { data: { stdout: textOf(stdout), stderr: textOf(stderr), exit_code: code } });
  }
  return resultOf(ended, args, act);
}

/**
 * The touched command: the program of a list, or the script as the shell gets it, without the values of markers, which travel beside it.
 */
function touched({ run, shell }: CommandArgs): Touch {
  const of = shell ?? undefined;
  if (run === null || typeof run === "string") return { kind: "commands", name: run ?? "", of };
  return "script" in run ? { kind: "commands", name: run.script, of } : { kind: "commands", name: text(run[0] ?? null), of: "program" };
}

/**
 * Reads the expected statuses: a number, a list of numbers, or `any`; another text never matches (PW404). A command that was ended by a
 * signal has no status.
 */
function isExpected(expected: Json, code: number | null): boolean {
  if (expected === "any") return true;
  return code !== null && (Array.isArray(expected) ? expected.includes(code) : expected === code);
}

/** With `parse_stderr` the result holds both outputs: `{stdout, stderr}`. */
async function resultOf({ stdout, stderr }: Ended, { parse, parse_stderr }: CommandArgs, act: Act): Promise<Json> {
  const out = parse === undefined || parse === null ? await plain(stdout, act) : await parsed(stdout, parse, act);
  return parse_stderr === undefined || parse_stderr === null ? out : { stdout: out, stderr: await parsed(stderr, parse_stderr, act) };
}

/** The output is JSON when the whole of it is JSON, else text without its last line break. Bytes that are not UTF-8 become Base64. */
async function plain(bytes: Buffer, act: Act): Promise<Json> {
  if (!isUtf8(bytes)) return bytes.toString("base64");
  const text = bytes.toString();
  const value = await parseJsonFor(text, act);
  return value === undefined ? text.replace(/\r?\n$/, "") : value;
}

/** With `parse_stderr` both outputs are wanted. */
function shape(args: Shape): Shape {
  const [parse, other] = [argument(args, "parse"), argument(args, "parse_stderr")];
  const out = byType(parse, (one) => (one.type === "null" ? any : parsedShape(one)));
  return byType(other, (one) => (one.type === "null" ? out : object({ stdout: out, stderr: parsedShape(one) })));
}

function parsedShape(parse: Shape): Shape {
  const [ignores, type, matches] = ["ignore_output", "data_type", "matches"].map((name) => onlyValue(argument(parse, name)));
  if (ignores === true) return nothing;
  const format =
    type === undefined
      ? any
      : type === null || type === "text"
        ? matches === null
          ? union(string, array(any))
          : any
        : textFormatShape(String(type));
  return ignores === undefined ? union(format, nothing) : format;
}

export const spec: Action<CommandArgs> = {
  summary: "Run a command.",
  schema,
  effect: "state",
  // A script finds the values of its markers in its environment, which other users cannot read.
  reveals: { argument: [["run", "*"], ["shell"]] },
  beside: ["expect_exit", "output_stdout"],
  run: command,
  shape,
  failure: () => object({ stdout: string, stderr: string, exit_code: union(number, nothing) }),
};
