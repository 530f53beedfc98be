import { closeSync, existsSync, fchmodSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, statSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import type { Document } from "yaml";
import { readRegularSync } from "#runtime/files/regular-file.ts";
import { ownFile, readYaml } from "#runtime/formats/yaml.ts";
import { type FileContent, fileContent, variablesIn } from "#runtime/keys/variables.ts";
import { UsageError } from "#runtime/process/settings/usage-error.ts";
import type { Json } from "#runtime/value/json.ts";
import { codeOf, messageOf } from "#runtime/value/thrown.ts";
import { refusal } from "../1-read/refusal.ts";
import { editableYaml, printedYaml } from "../editable-yaml.ts";

/**
 * Changes a file of managed variables: comments, order, other values and the rights of the file stay, and the new text replaces the old one
 * in one step. Only its owner may read a new file. A second command that writes at the same time is refused.
 */
export function editVariables(file: string, change: (document: Document, content: FileContent) => void): void {
  mkdirSync(dirname(file), { recursive: true });
  const next = `${file}.tmp`;
  const handle = lock(next, file);
  try {
    const text = existsSync(file) ? textOf(file) : "";
    const document = editableYaml(text);
    change(document, contentOf(text, file));
    writeSync(handle, printedYaml(document, text));
    // The rights of the file stay, because a container may read it as another user.
    const before = statSync(file, { throwIfNoEntry: false });
    if (before !== undefined) fchmodSync(handle, before.mode & 0o777);
    fsyncSync(handle);
    renameSync(next, file);
  } finally {
    closeSync(handle);
    // The temporary file exists here only if a step before the renaming has failed.
    rmSync(next, { force: true });
  }
}

/** Reads the content of the file like a process does. The document is used only to change the text with its comments. */
function contentOf(text: string, file: string): FileContent {
  let value: Json;
  try {
    value = variablesIn(readYaml(text, ownFile), text);
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${messageOf(error)}`);
  }
  const content = fileContent(value ?? {}, file);
  if ("problem" in content) throw new UsageError(content.problem);
  return content.value;
}

/** Creates the new file, which is also the lock. */
function lock(next: string, file: string): number {
  try {
    return openSync(next, "wx", 0o600);
  } catch (error) {
    if (codeOf(error) === "EEXIST") throw new UsageError(`${file} is being written by another command; if none is running, remove ${next}`);
    throw new UsageError(`${file} cannot be written: ${refusal(error) ?? messageOf(error)}`);
  }
}

function textOf(file: string): string {
  try {
    return readRegularSync(file, mostBytes).toString("utf8");
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${messageOf(error)}`);
  }
}

const mostBytes = 5 * 1024 * 1024;
