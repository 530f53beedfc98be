import type { JsonSchema } from "../../feature.ts";

const keys = (description: string): JsonSchema => ({ type: "array", items: { type: "string", description: "A name." }, description });
const flag = (description: string): JsonSchema => ({ type: "boolean", default: false, description });
const text = (description: string): JsonSchema => ({ type: "string", description });
const pattern = (description: string): JsonSchema => ({ type: "string", context: "regex", description });
const line = (description: string): JsonSchema => ({ type: "integer", minimum: 0, description });

const match: JsonSchema = {
  title: "CommandMatch",
  description: "A form of a line and the names of its parts.",
  type: "object",
  additionalProperties: false,
  required: ["keys"],
  properties: {
    keys: keys("Names of the parts."),
    regex: pattern("Pattern with a group for each name."),
    split_by: text("Text between the parts."),
    split_whitespace: flag("The parts are separated by white space."),
  },
};

const parse = (description: string): JsonSchema => ({
  title: "CommandParse",
  description,
  type: "object",
  additionalProperties: false,
  properties: {
    ignore_output: flag("The data is null."),
    line_start: line("First line that is kept, from 0."),
    line_end: line("First line that is not kept any more."),
    split_start: pattern("Keep lines after the first match of this pattern."),
    split_end: pattern("Keep lines before the next match of this pattern."),
    data_type: { type: "string", enum: ["text", "json", "csv", "xml", "ndjson", "jsonl"], default: "text", description: "Format." },
    matches: {
      type: "array",
      items: match,
      description: "Each line becomes an object by the first form that fits; other lines are dropped.",
    },
    keys: keys("Names of the columns; the last takes the rest of the line."),
    split_whitespace: flag("Columns are separated by white space."),
    split_by: text("Text between columns."),
    delimiter: text("Another name of split_by."),
    disable_auto_extract: flag("Keep cells that look like numbers as text."),
  },
});

/** The fields of a `command` block. */
export const schema: JsonSchema = {
  type: "object",
  required: ["run"],
  additionalProperties: false,
  properties: {
    run: {
      description: "Script for the shell, in which a marker is one word; or a list of the program and its arguments, without a shell.",
      anyOf: [
        { type: "string", context: "shell" },
        { type: "array", minItems: 1, items: { type: "string", description: "A word." } },
      ],
    },
    shell: { type: "string", default: "/bin/sh -c", description: "Program and arguments that take the script." },
    allow_nested_shell: {
      type: "boolean",
      context: "static",
      default: false,
      description: "Accept markers in the code of another interpreter, such as sh -c, which runs their values as a part of its program.",
    },
    name: { type: "string", description: "Name for people." },
    timeout: { type: ["string", "number"], format: "duration", default: "30s", description: "Time for one attempt." },
    expect_exit: {
      description: "Exit statuses that count as success, or any; by default 0.",
      anyOf: [{ type: ["integer", "string"] }, { type: "array", items: { type: "integer" }, description: "Exit statuses." }],
    },
    parse: parse("How stdout is read; by default as JSON if it is JSON, else as text."),
    output_stdout: { type: "boolean", context: "static", default: false, description: "Copy stdout to that of the process." },
    parse_stderr: parse("How stderr is read; the data is then {stdout, stderr}."),
  },
};
