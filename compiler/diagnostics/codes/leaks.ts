import { warning } from "./code.ts";

/** The places where others can see or store a value. A record of an action names its fields by these words (feature.ts `reveals`). */
export type Exposure =
  | "answer"
  | "log"
  | "record"
  | "path"
  | "query"
  | "argument"
  | "file"
  | "topic"
  | "channel"
  | "message"
  | "mail"
  | "prompt"
  | "state"
  | "metric";

const places: Readonly<Record<Exposure, readonly [place: string, remedy: string]>> = {
  answer: ["the answer", "leave it out: name the members that callers need, or hide the data with hide_data_on_success: true"],
  log: ["a log line", "leave it out of the line"],
  record: ["records of runs", "take it out of the data, or hide them with hide_data_on_success: true"],
  query: ["the query of a URL", "addresses end up in logs and proxies: send it in a header, such as bearer_auth or headers"],
  path: ["the path of a URL", "addresses end up in logs and proxies: send it in a header, such as bearer_auth or headers"],
  argument: [
    "the arguments of a command",
    "every process of the machine can read them: write run as one text, whose markers are in the environment of the shell",
  ],
  file: ["the name of a file", "names of files are listed and logged: name it by something else"],
  topic: ["the name of a topic", "everybody who subscribes to # sees it: name the topic by something else"],
  channel: ["the name of a channel", "subscribers see it: name the channel by something else"],
  message: ["a message", "leave it out: all subscribers get it"],
  mail: ["a mail", "leave it out: mail is stored in plain text on its way"],
  prompt: ["a prompt", "models repeat what they are told, and do what others tell them: give the secret to the tool that needs it"],
  state: ["the durable state", "it is stored in plain text there: read the secret where it is needed"],
  metric: ["a metric", "everybody who reads metrics sees it: leave it out"],
};

const reached = (secret: string, exposure: Exposure, way: readonly string[]): { readonly message: string; readonly hint: string } => {
  const [place, hint] = places[exposure];
  return { message: `${secret} reaches ${place}: ${way.join(" -> ")}`, hint };
};

/** PW283, PW284: secrets on their way to others. */
export const leaks = {
  reaches: warning("PW283", reached, {
    means:
      "A secret is on its way to somebody who should not have it: to callers by the answer, to readers of logs, records and metrics, to subscribers by a message or the name of a topic or channel, to receivers of a mail, to other processes by the arguments of a command, into the name of a file, or into the durable state. The message shows the way: variables, then the data of actions with the path inside them, then the field that shows them. Secrets are `secret`, variables that are sealed or called `ENCRYPTED_…`, and variables whose names end as those of secrets do (`API_KEY`, `SECRET`, `TOKEN`, `PASSWORD`). What a hash, a signature or a cipher makes of a secret is none, and neither is the outcome of a test. Headers and bodies of requests to a service are what secrets are for, and what the service answers is not that secret.",
    wrong:
      "actions:\n  - name: Login\n    json_output: { user: a|body::user|, token: a|secret::API_KEY| }\nresponse:\n  custom_body: { token: a|Login::token| }",
    right:
      "actions:\n  - name: Login\n    json_output: { user: a|body::user|, token: a|secret::API_KEY| }\nresponse:\n  custom_body: { user: a|Login::user| }",
  }),
  inQuery: warning("PW284", reached, {
    means:
      "A secret stands behind the question mark of an address, or is a segment of its path. Servers, proxies and tools of operators write addresses into their logs. Nearly every service takes the same secret in a header. Nothing is said of addresses that are secrets themselves, such as those of webhooks and bots.",
    wrong: "http: { url: https://api.example.com/users?api_key=a|secret::API_KEY| }",
    right: "http: { url: https://api.example.com/users, headers: { x-api-key: a|secret::API_KEY| } }",
  }),
};
