import { touchedBySes } from "../aws.ts";
import { isUnset, member } from "../member.ts";
import { type Name, nameOf, namesOf } from "../names.ts";
import { all, type Toucher } from "../touched.ts";

/** The server or SES, the sender and the receivers. */
export const toucher: Toucher = (args, known) => {
  const rows = member(args, "rows");
  // A row may have its own sender and receivers.
  const ofRows: readonly Name[] = isUnset(rows) ? [] : [nameOf(rows, known)].map((name) => ({ ...name, name: "*" }));
  const receivers = ["to", "cc", "bcc"].flatMap((field) => namesOf(member(args, field), known));
  return [
    ...all("mail_servers", namesOf(member(args, "smtp", "server"), known)),
    ...(isUnset(member(args, "smtp")) ? touchedBySes(args, known) : []),
    ...all("mail_senders", [...namesOf(member(args, "from"), known), ...ofRows]),
    ...all("mail_recipients", [...receivers, ...ofRows]),
  ];
};
