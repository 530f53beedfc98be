import { entry, get, scalarText } from "../../1-read/document.ts";
import { sources as codes } from "../../diagnostics/codes/actions.ts";
import { shape } from "../../diagnostics/codes/file.ts";
import { checkBase64 } from "../written.ts";
import type { Planner } from "./planner.ts";

/** The fields that only some operations have, each with these operations. */
const fields: Readonly<Record<string, readonly string[]>> = {
  to: ["rename"],
  content: ["put"],
  encoding: ["get", "put"],
  glob: ["list"],
  sort: ["list"],
  limit: ["list"],
};

/** The field that an operation needs beside `path`. */
const needed: Readonly<Record<string, string>> = { rename: "to", put: "content" };

/** Checks three things: the host is verified, there is a login, and the fields belong to the operation. */
export const planner: Planner = {
  check(block, { at }, cx) {
    const has = (key: string): boolean => entry(block, key) !== undefined;
    if (!has("host_key") && !isWrittenOn(scalarText(get(block, "accept_any_host_key")))) cx.report(codes.sftpHost(), at);
    if (!has("password") && !has("private_key")) cx.report(shape.missingKey("private_key' or 'password", "Sftp"), at);
    const operation = scalarText(get(block, "operation")) ?? "";
    const key = needed[operation];
    if (key !== undefined && !has(key)) cx.report(shape.missingKey(key, "Sftp"), at);
    if (scalarText(get(block, "encoding")) === "base64") checkBase64("content", get(block, "content"), cx.report);
    for (const [field, operations] of Object.entries(fields)) {
      const fieldEntry = entry(block, field);
      if (fieldEntry !== undefined && !operations.includes(operation))
        cx.report(codes.sftpField(field, operation, operations), fieldEntry.keySpan);
    }
  },
};

/** True for a flag that is on, or that a marker may turn on when the action runs. */
const isWrittenOn = (text: string | undefined): boolean => text !== undefined && text !== "false" && text !== "null";
