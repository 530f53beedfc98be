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
      "A secret gets where others can read it: an answer, a log, a record of a run, a metric, a message or the name of its topic or channel, a mail, the arguments of a command, the name of a file, or the durable state. The message shows the way: variables, then the data of actions with the path inside them, then the field that shows them. Secrets are `secret`, variables that are sealed or called `ENCRYPTED_…`, and variables whose names end as those of secrets do (`API_KEY`, `SECRET`, `TOKEN`, `PASSWORD`). The result of a hash, a signature or a cipher does not count as a secret, nor does the outcome of a test or the answer of a service. Headers and bodies of requests to services may hold secrets.",
    wrong:
      "actions:\n  - name: Login\n    json_output: { user: a|body::user|, token: a|secret::API_KEY| }\nresponse:\n  custom_body: { token: a|Login::token| }",
    right:
      "actions:\n  - name: Login\n    json_output: { user: a|body::user|, token: a|secret::API_KEY| }\nresponse:\n  custom_body: { user: a|Login::user| }",
  }),
  inQuery: warning("PW284", reached, {
    means:
      "A secret stands in the query or the path of an address. Servers, proxies and tools of operators write addresses into their logs. Nearly every service takes the secret in a header instead. Addresses that are secrets themselves, such as those of webhooks and bots, are not reported.",
    wrong: "http: { url: https://api.example.com/users?api_key=a|secret::API_KEY| }",
    right: "http: { url: https://api.example.com/users, headers: { x-api-key: a|secret::API_KEY| } }",
  }),
};
