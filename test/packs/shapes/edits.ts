/** A mistake put into a pack: the first place of a text, and what it becomes. */
export interface Edit {
  readonly file: string;
  readonly from: string;
  readonly to: string;
  /** The value may have any member, so that nothing can be said. */
  readonly isOpen?: true;
}

/** Names that are wrong, each in another way, in what the compiler can know. */
export const edits: readonly Edit[] = [
  { file: "user-auth/user_auth.yml", from: 'value: "[0].n"', to: 'value: "[0].m"' },
  { file: "user-auth/user_auth.yml", from: 'value: "[0].id"', to: 'value: "[0].uid"' },
  { file: "llm-gateway/config.yml", from: "value: status", to: "value: stauts" },
  { file: "llm-gateway/config.yml", from: "extract_value: body", to: "extract_value: bdy" },
  { file: "rss-digest/rss_digest.yml", from: '"body.rss.channel.item"', to: '"boddy.rss.channel.item"' },
  { file: "container-service-discovery/discovery.yml", from: "extract_value: body", to: "extract_value: bodies" },
  { file: "send-email-smtp-and-resend/resend.yml", from: "value: status", to: "value: statusCode" },
  { file: "batch-enrich/batch_enrich.yml", from: 'extract_value: "body"', to: 'extract_value: "data"' },
  { file: "observability-showcase/config.yml", from: "a|SampleUserCount::total|", to: "a|SampleUserCount::totl|" },
  { file: "slack-interactivity/config.yml", from: "a|CreateApproval::id|", to: "a|CreateApproval::Id|" },
  { file: "slack-interactivity/config.yml", from: "a|RecordDecision::status|", to: "a|RecordDecision::state|" },
  { file: "stripe-webhooks-db-slack/config.yml", from: "a|ParseSignature::timestamp|", to: "a|ParseSignature::time|", isOpen: true },
];
