import type { Expr } from "#runtime/plan/index.ts";
import type { Sources } from "../../../4-plan/inference/provenance.ts";
import { credentialsOf, serviceHosts } from "../aws.ts";
import { isUnset, member } from "../member.ts";
import { nameOf, namesOf } from "../names.ts";
import type { Touched, Toucher } from "../touched.ts";

/** Operations on objects, with the verbs of the manifest. Making a link sends no request, but the link grants the access. */
const verbs = {
  get_signed_upload_url: "put",
  get_signed_download_url: "get",
  upload_object: "put",
  get_object: "get",
  delete_object: "delete",
  list_objects: "list",
} as const;

/** The hosts, objects, queues and topics that an `aws` block touches. */
export const toucher: Toucher = (args, known) => {
  const credential = member(args, "credential");
  return [
    ...credentialsOf(credential, known),
    ...Object.entries(verbs).flatMap(([operation, verb]) => {
      const block = member(args, operation);
      if (isUnset(block)) return [];
      const bucket = nameOf(member(block, "bucket"), known);
      const key = nameOf(member(block, operation === "list_objects" ? "prefix" : "key"), known);
      const hosts = operation.startsWith("get_signed") ? [] : serviceHosts("s3", credential, known, bucket);
      return [...hosts, { kind: "files" as const, ...key, of: `s3://${bucket.name}`, verb }];
    }),
    ...messagesOf("sqs", member(args, "send_message"), ["queue_url"], credential, known),
    ...messagesOf("sns", member(args, "publish"), ["topic_arn", "target_arn", "phone_number"], credential, known),
  ];
};

function messagesOf(service: string, block: Expr, fields: readonly string[], credential: Expr, known: Sources): readonly Touched[] {
  if (isUnset(block)) return [];
  const names = fields.flatMap((field) => namesOf(member(block, field), known));
  return [...serviceHosts(service, credential, known), ...names.map((name): Touched => ({ kind: "topics", ...name }))];
}
