import { domainToASCII } from "node:url";
import type { SendMailOptions } from "nodemailer";
import type { Act } from "../../../run/run.ts";
import { Failure } from "../../../value/failure.ts";
import { type JsonObject, own } from "../../../value/json.ts";
import { accountOf } from "../aws/account.ts";
import { jsonObject, unreadable } from "../aws/answers.ts";
import { callService } from "../aws/call.ts";
import { endpointOf } from "../aws/region.ts";
import type { CredentialArgs } from "../aws/schema.ts";
import { mimeOf } from "./mailer.ts";

/** Milliseconds of one call. */
const timeout = 60_000;
const limit = 65_536;

/** Receivers of one mail. */
const mostReceivers = 50;

/**
 * Hands mails to Amazon SES, by its API of version 2, as the MIME text that a server of SMTP would get. Receivers of a hidden copy stand in
 * no header. `message_id` is the id of SES, which also replaces the Message-ID.
 */
export const ses =
  (act: Act, credential: CredentialArgs) =>
  async (mail: SendMailOptions): Promise<JsonObject> => {
    const [to, cc, bcc] = [addressesOf(mail.to), addressesOf(mail.cc), addressesOf(mail.bcc)];
    const accepted = [...to, ...cc, ...bcc];
    if (accepted.length > mostReceivers) throw new Failure("evaluation", `email has more than ${mostReceivers} receivers, which SES takes`);
    const account = await accountOf(act.run, credential);
    const { protocol, host, pathname } = endpointOf(act.run, "ses", account.region, account.endpoint);
    const body = JSON.stringify({
      Destination: { ToAddresses: to.map(ascii), CcAddresses: cc.map(ascii), BccAddresses: bcc.map(ascii) },
      Content: { Raw: { Data: (await mimeOf(mail)).toString("base64") } },
    });
    const path = `${pathname.replace(/\/$/, "")}/v2/email/outbound-emails`;
    const headers = { "content-type": "application/json" };
    const call = { service: "ses", method: "POST", protocol, host, clock: host, path, query: {}, headers, body, timeout, limit } as const;
    const { bytes } = await callService(act, account, call).catch((error: unknown) => {
      throw error instanceof Failure ? refusal(error) : error;
    });
    const id = own(jsonObject(bytes, "ses"), "MessageId");
    if (typeof id !== "string") throw unreadable("ses", "a message id");
    return { message_id: id, accepted, rejected: [] };
  };

/**
 * The failure of a mail, without the data of the call, which are not those of the action. It is tried again only when SES refuses for now,
 * or was not reached. Any other refusal is final, since the mail is wrong or may have been taken.
 */
function refusal({ kind, message, details: { data: _, ...details } }: Failure): Failure {
  const { unsent = false, upstream = 0 } = details;
  const isPassing = kind === "status" && (upstream === 408 || upstream === 429 || upstream >= 500);
  return new Failure(kind, message, unsent || isPassing ? details : { ...details, final: true });
}

const addressesOf = (boxes: SendMailOptions["to"]): string[] =>
  (Array.isArray(boxes) ? boxes : []).flatMap((box) => (typeof box === "object" && "address" in box ? (box.address ?? []) : []));

/** SES takes domains in ASCII alone. */
function ascii(address: string): string {
  const at = address.lastIndexOf("@") + 1;
  return `${address.slice(0, at)}${domainToASCII(address.slice(at)) || address.slice(at)}`;
}
