import { error, warning } from "./code.ts";

/** 69x: interfaces whose clients stay connected (surfaces.md 3). */
export const realtime = {
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
};
