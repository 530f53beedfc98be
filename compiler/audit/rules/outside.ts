import type { CapabilityKind } from "#runtime/plan/capabilities.ts";
import { isUnset, member } from "../../5-analyse/capabilities/member.ts";
import type { Audited, AuditRule, ReportedPlace } from "../rule.ts";

/** The touches of these kinds whose names come from data. */
const chosen = ({ touches, at }: Audited, kinds: readonly string[], text: (name: string) => string): readonly ReportedPlace[] =>
  touches.flatMap((touch) =>
    kinds.includes(touch.kind) && touch.from === "request" && touch.name.startsWith("*")
      ? [{ at: touch.at ?? at, text: text(touch.name) }]
      : [],
  );

/** Words for things whose names a configuration usually fixes. Tables have a rule of their own. */
const nouns: { readonly [K in CapabilityKind]?: string } = {
  ...{ hosts: "the host", commands: "the command", channels: "the channel", topics: "the topic", mail_servers: "the mail server" },
  ...{ state: "the key of the state", files: "the file" },
};

const isTrue = (part: ReturnType<typeof member>): boolean => part.op === "lit" && part.value === true;

/** Rules about the services, programs and people that runs reach. */
export const outside: readonly AuditRule[] = [
  {
    name: "wildcard-egress",
    severity: "high",
    why: "A caller makes this service call any public address in its name.",
    remedy: "name the hosts in allowed_hosts",
    find: ({ touches, at }) =>
      touches.flatMap(({ kind, from, within = [], name, at: place }) =>
        kind === "hosts" && from !== undefined && name === "*" && within.some((host) => host === "public" || host === "*")
          ? [
              {
                at: place ?? at,
                text: `the host comes from a ${from}, and may be any`,
                ...(from === "request" ? {} : { severity: "medium" as const }),
              },
            ]
          : [],
      ),
  },
  {
    name: "unknown-name",
    severity: "low",
    why: "The manifest can only say `*`: where one is enforced, anything of this kind passes.",
    remedy: "write the name, or take a marker of env or var without a filter for all of it",
    find: ({ touches, at }) =>
      touches.flatMap(({ kind, name, from, at: place }) =>
        kind in nouns && name === "*" && from === undefined ? [{ at: place ?? at, text: `${nouns[kind]} is known only when it runs` }] : [],
      ),
  },
  {
    name: "unchecked-certificate",
    severity: "high",
    why: "Whoever stands between can read and change what is sent.",
    remedy: "trust the certificate of the service by `ca`, and leave accept_invalid_certs out",
    find: ({ ops }) =>
      ops.flatMap((op) =>
        op.op === "call" && isTrue(member(op.args, "accept_invalid_certs")) ? [{ at: op.at, text: "certificates are not checked" }] : [],
      ),
  },
  {
    name: "unknown-host-key",
    severity: "high",
    why: "The server is not known: whoever answers gets what is sent.",
    remedy: "name the key of the server, and leave accept_any_host_key out",
    find: ({ ops }) =>
      ops.flatMap((op) =>
        op.op === "call" && isTrue(member(op.args, "accept_any_host_key")) ? [{ at: op.at, text: "any host key is accepted" }] : [],
      ),
  },
  {
    name: "plain-http",
    severity: "medium",
    why: "Whoever stands between can read and change what is sent.",
    remedy: "call it by https",
    find: ({ ops }) =>
      ops.flatMap((op) => {
        const url = op.op === "call" && op.use === "http" ? member(op.args, "url") : undefined;
        const begin = url?.op === "lit" ? url.value : url?.op === "text" ? url.parts[0] : undefined;
        const isPlain = typeof begin === "string" && /^http:\/\/(?!localhost\b|127\.|\[::1\]|[\w-]+(?:[:/]|$))/.test(begin);
        return isPlain ? [{ at: op.at, text: `\`${begin.slice(0, 60)}\` is called without TLS` }] : [];
      }),
  },
  {
    name: "no-timeout",
    severity: "low",
    why: "It waits for 30 seconds, the default, while its caller waits, too.",
    remedy: "give the action a timeout that its caller can bear",
    find: ({ actions, at }) => {
      const waiting = actions.filter(
        ({ timeout, ops }) =>
          timeout === undefined &&
          ops.some((op) => op.op === "call" && ["http", "command"].includes(op.use) && isUnset(member(op.args, "timeout"))),
      );
      const [first] = waiting;
      return first === undefined
        ? []
        : [{ at: first.at ?? at, text: `no timeout of ${waiting.map(({ name }) => `\`${name}\``).join(", ")}` }];
    },
  },
  {
    name: "command",
    severity: "medium",
    why: "A program runs with the rights of the service, and may do whatever these allow.",
    remedy: "run the service as a user that may do little; take an action of another kind where there is one",
    find: ({ touches, at }) =>
      touches.flatMap((touch) =>
        touch.kind === "commands" ? [{ at: touch.at ?? at, text: `a command runs: \`${touch.name.slice(0, 60)}\`` }] : [],
      ),
  },
  {
    name: "mail-to-anybody",
    severity: "medium",
    why: "A caller has this service write to anybody, in the name of its sender.",
    remedy: "take the receiver from your own data, limit how often it is called, and authenticate callers",
    find: (target) =>
      target.proves ? [] : chosen(target, ["mail_recipients"], () => "a caller says who gets the mail, and no test authenticates callers"),
  },
  {
    name: "publish-anywhere",
    severity: "medium",
    why: "A caller publishes to every channel or topic, those of others included.",
    remedy: "write the first levels of the name, so that data are one level of it",
    find: (target) => chosen(target, ["channels", "topics"], (name) => `a caller says where it is published: \`${name}\``),
  },
];
