import { error, type Page, warning } from "./code.ts";

const nothingForwarded: Page = {
  means:
    "`stream.from` names the action whose stream is forwarded: one of the actions of the interface itself. An action inside a `lookup` runs many times, so that its pieces would have no order: it is not forwarded. The interface works, but subscribers of the channel get nothing.",
  wrong: "stream: { from: Asks, channel: chat }\nactions: [{ name: Ask, http: { url: https://llm.example/v1, stream: true } }]",
  right: "stream: { from: Ask, channel: chat }\nactions: [{ name: Ask, http: { url: https://llm.example/v1, stream: true } }]",
};

/** 68x and 69x: interfaces whose clients stay connected (spec/surfaces 3). */
export const realtime = {
  forgedToken: warning(
    "PW675",
    (name: string, trigger: "ws" | "mqtt") => ({
      message: `a client of '${name}' needs a token, and nothing verifies it: a forged one will do`,
      hint: `test it with is_valid_jwt, or a key of your own with is_equal_to, in the interface or its subscribe_authorizer${trigger === "ws" ? ", or set PIPEWRIGHT_WS_REQUIRE_JWT when the service runs" : ""}; public: true says that everybody may come`,
    }),
    {
      means:
        "A `ws` or `mqtt` interface that is not `public` takes clients with an API key or a token. The signature of the token is not verified before the interface runs: anybody can write one. Tests of the interface, or of its `subscribe_authorizer`, have to verify it (`is_valid_jwt`), or ask for another proof: a signature (`is_valid_hmac`, `verify_signature`), a password (`verify_bcrypt`), a code (`is_valid_totp`), or a header or parameter that is a secret of the configuration (`value: a|headers::x-device-key|, is_equal_to: a|secret::DEVICE_KEY|`). For sockets `PIPEWRIGHT_WS_REQUIRE_JWT` does that before a connection opens, but the compiler cannot know whether it will be set.",
      wrong: 'live:\n  ws: "on"\n  actions: [{ name: Say, input: a|body| }]',
      right:
        'live:\n  ws: "on"\n  actions:\n    - name: Say\n      input: a|body|\n      assert:\n        tests: [{ value: a|headers::airpipe-jwt|, is_valid_jwt: a|var::TOKEN_SECRET| }]',
    },
  ),
  openBesideGuard: warning(
    "PW690",
    (open: string, guarded: string) => ({
      message: `sockets of '${open}' need no credential, and may name the channels that '${guarded}' guards`,
      hint: "set PIPEWRIGHT_WS_PUBLIC_CHANNELS to the patterns that they may name, such as news:#; a service does not start without",
    }),
    {
      means:
        "Channels belong to the whole organisation, not to an interface. A `subscribe_authorizer` decides about the sockets of its own interface only, so those of a `public` interface beside it could name the same channels. `PIPEWRIGHT_WS_PUBLIC_CHANNELS` bounds what they may name, and has to be set when the service starts.",
      wrong: 'feed: { ws: "on", public: true }\nlive: { ws: "on", subscribe_authorizer: allow }',
      right:
        '# and PIPEWRIGHT_WS_PUBLIC_CHANNELS=news:# in the environment\nfeed: { ws: "on", public: true }\nlive: { ws: "on", subscribe_authorizer: allow }',
    },
  ),
  socketTwice: error("PW691", (name: string, other: string) => `the sockets of '${name}' are those of ${other}, too`, {
    means:
      "The path of a socket ends with the name of its interface, which is therefore unique among the configurations that are built together.",
    wrong: '# a.yaml\nlive: { ws: "on" }\n# b.yaml\nlive: { ws: "on" }',
    right: '# a.yaml\nlive: { ws: "on" }\n# b.yaml\nboard/live: { ws: "on" }',
  }),
  streamOfNobody: warning(
    "PW681",
    (name: string, near: string | undefined) => ({
      message: `'${name}' is no action of this interface: nothing is forwarded`,
      hint: near === undefined ? "name the action whose http or agent has stream: true" : `did you mean '${near}'?`,
    }),
    nothingForwarded,
  ),
  streamOfLoop: warning(
    "PW681",
    (name: string) => ({
      message: `'${name}' runs once for every item of a loop: nothing is forwarded`,
      hint: "name an action of the interface itself: the messages of a stream have one order and one end",
    }),
    nothingForwarded,
  ),
  streamOfPlainAction: warning(
    "PW682",
    (name: string) => ({
      message: `'${name}' reads no stream: nothing is forwarded`,
      hint: "set stream: true in its http block",
    }),
    {
      means:
        "`stream.from` forwards the text of a stream while an action reads it. Only an `http` or `agent` action with `stream: true` reads a stream; of any other action nothing is forwarded, and the interface works as without `stream`.",
      wrong: "stream: { from: Ask, channel: chat }\nactions: [{ name: Ask, http: { url: https://llm.example/v1 } }]",
      right: "stream: { from: Ask, channel: chat }\nactions: [{ name: Ask, http: { url: https://llm.example/v1, stream: true } }]",
    },
  ),
};
