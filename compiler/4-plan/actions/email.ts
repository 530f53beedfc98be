import { actions } from "#generated/features.ts";
import { isLoopback } from "#runtime/outgoing/secure-way.ts";
import { entry, get, items, type Node, scalarText, textOf } from "../../1-read/document.ts";
import { hasMarker } from "../../1-read/markers/markers.ts";
import { sources } from "../../diagnostics/codes/actions.ts";
import { shape } from "../../diagnostics/codes/file.ts";
import type { Report } from "../../diagnostics/diagnostic.ts";
import { lower } from "../lower/values.ts";
import { checkBase64 } from "../written.ts";
import type { Planner } from "./planner.ts";

/** Checks the required fields of a mail. Such a field may also come from the rows of the mail. */
export const planner: Planner = {
  check(block, _, cx) {
    const has = (key: string): boolean => entry(block, key) !== undefined;
    const keys = has("rows") ? [] : ["from", ...(has("cc") || has("bcc") ? [] : ["to"])];
    for (const key of keys) if (!has(key)) cx.report(shape.missingKey(key, "Email"), block.span);
    const ses = entry(block, "aws_ses");
    const smtp = entry(block, "smtp");
    if (smtp === undefined && !bySes(block)) cx.report(shape.missingKey("smtp' or 'aws_ses", "Email"), block.span);
    if (smtp !== undefined && ses !== undefined && bySes(block)) cx.report(shape.exclude("smtp", "aws_ses"), ses.keySpan);
    if (smtp !== undefined && !bySes(block)) checkLogin(smtp.value, cx.report);
    const credential = entry(block, "credential");
    for (const item of items(get(block, "attachments"))) {
      const encoding = scalarText(get(item, "encoding")) ?? "base64";
      if (encoding === "base64") checkBase64("content", get(item, "content"), cx.report);
    }
    if (credential !== undefined && !bySes(block)) cx.report(shape.noEffect("credential"), credential.keySpan);
  },
  plan(block, { around }, cx) {
    const args = lower(block, actions.email.schema, cx, { field: "email", required: true });
    return bySes(block) ? around.credentials.fill(args, block, "aws", cx) : args;
  },
};

/** A login without TLS is refused, but to this machine (spec/surfaces 15): what is written of it is looked at here. */
function checkLogin(smtp: Node, report: Report): void {
  const user = get(smtp, "user");
  const [server = "", login = ""] = [textOf(get(smtp, "server"))?.trim(), textOf(user)];
  const isPlain = scalarText(get(smtp, "tls")) === "false" && scalarText(get(smtp, "port")) !== "465";
  if (user === undefined || login === "" || !isPlain || hasMarker(login) || hasMarker(server) || isLoopback(server)) return;
  report(sources.canOnlyFail("user", "a login needs tls", "leave 'tls: false' out; the action fails whenever it runs"), user.span);
}

/** Mail goes to SES, in place of a server. */
const bySes = (block: Node): boolean => scalarText(get(block, "aws_ses")) === "true";
