import type { SendMailOptions } from "nodemailer";
import type { AwsAccounts } from "../features/actions/aws/account.ts";
import { type Invocation, lineOf, valueName } from "../features/actions/command/invocation.ts";
import type { Commands } from "../features/actions/command/process.ts";
import type { Discoveries } from "../features/actions/discover.ts";
import type { MailServers } from "../features/actions/email/mailer.ts";
import type { Accounts } from "../features/actions/google/account.ts";
import { usualTokenUri } from "../features/actions/google/schema.ts";
import type { Names } from "../outgoing/names.ts";
import { touches } from "../outgoing/touches.ts";
import type { Channels } from "../realtime/channels.ts";
import type { MqttPublisher } from "../run/interface.ts";
import { Failure } from "../value/failure.ts";
import type { Json } from "../value/json.ts";
import { Recent } from "../value/recent.ts";
import type { CallStubs } from "./call-stubs.ts";
import { type Effects, withoutEmpty } from "./effects.ts";
import { oneLine, wildcard } from "./wildcard.ts";
import type { World } from "./world.ts";

/** Commands that stubs answer: no process is started. The answers of each stub are counted. */
export function stubbedCommands(
  { commands: stubs, outside }: Pick<World, "commands" | "outside">,
  effects: Effects,
  counts: number[],
): Commands {
  const patterns = stubs.map(({ command }) => wildcard(oneLine(command)));
  return {
    add: () => () => undefined,
    close: () => undefined,
    standIn: async (invocation) => {
      const line = lineOf(invocation);
      effects.add({ command: line, ...withoutEmpty({ values: valuesOf(invocation) }) });
      const index = patterns.findIndex((pattern) => pattern.test(oneLine(line)));
      const stub = stubs[index];
      const output = stub?.outputs[stub.inTurn ? (counts[index] ?? 0) : 0] ?? outside?.command(line);
      if (output === undefined) {
        const why = stub === undefined ? "that no stub answers" : `once more than its stub has outputs (${stub.outputs.length})`;
        throw new Failure("command", effects.lacks(`the run starts a command ${why}: ${oneLine(line)}`));
      }
      if (stub !== undefined) counts[index] = (counts[index] ?? 0) + 1;
      return { code: output.exit, signal: null, stdout: Buffer.from(output.stdout), stderr: Buffer.from(output.stderr) };
    },
  };
}

/** The values that are passed beside a script, in their order. */
function valuesOf({ env }: Invocation): string[] {
  const values: string[] = [];
  for (let n = 1, value = env[valueName(n)]; value !== undefined; n += 1, value = env[valueName(n)]) values.push(value);
  return values;
}

/** Mail servers that accept every mail and deliver none. */
export function stubbedMail(effects: Effects): MailServers {
  const sendMail = async (mail: SendMailOptions) => {
    const receivers = [...addresses(mail.to), ...addresses(mail.cc), ...addresses(mail.bcc)];
    const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);
    effects.add({
      mail: addresses(mail.to),
      ...withoutEmpty({
        from: addresses(mail.from)[0],
        cc: addresses(mail.cc),
        bcc: addresses(mail.bcc),
        reply_to: addresses(mail.replyTo),
        subject: text(mail.subject),
        text: text(mail.text),
        html: text(mail.html),
        attachments: (mail.attachments ?? []).map(({ filename }) => String(filename)),
      }),
    });
    return { messageId: mail.messageId ?? "", accepted: receivers, rejected: [], envelope: { from: "", to: receivers } };
  };
  return { get: () => ({ pool: { sendMail }, begun: new Set() }) as unknown as ReturnType<MailServers["get"]>, close: () => undefined }; // no other method is called
}

const addresses = (given: SendMailOptions["to"]): string[] =>
  (Array.isArray(given) ? given : given === undefined ? [] : [given]).flatMap((each) =>
    typeof each === "string" ? each : "address" in each ? String(each.address) : [],
  );

/** A broker that delivers no message. */
export const stubbedBroker = (effects: Effects): MqttPublisher => ({
  publish: ({ topic, payload, qos, retain }) => {
    effects.add({ publish: topic, over: "mqtt", data: dataOf(payload), ...(qos === 0 ? {} : { qos }), ...(retain ? { retain } : {}) });
    return undefined;
  },
});

function dataOf(payload: Buffer): Json {
  const text = payload.toString("utf8");
  try {
    return JSON.parse(text) as Json; // what JSON.parse gives is JSON
  } catch {
    return text;
  }
}

/** Notes all messages that are published to the channels of a host. */
export function noteChannels(channels: Channels, effects: Effects): void {
  const publish = channels.publish.bind(channels);
  channels.publish = (channel, data, retain, text) => {
    const refusal = publish(channel, data, retain, text);
    if (refusal === undefined) effects.add({ publish: channel, over: "ws", data, ...(retain ? { retain } : {}) });
    return refusal;
  };
}

/** Resolves every name to an address that data may name, because stubs answer all calls. */
export const anyName: Names = { addresses: async () => ["203.0.113.1"], services: async () => [], close: () => undefined };

/**
 * Accounts of Google without keys: stand-ins fill values that the configuration leaves to the environment, and stubs check no signature.
 */
export const stubbedAccounts: Accounts = {
  get: (act, { file = null, client_email, private_key_id, token_uri, project_id }) => {
    if (file !== null) touches(act.run, { kind: "files", name: file });
    return {
      id: "stubbed",
      client_email: client_email ?? "stubbed@stubbed.iam.gserviceaccount.com",
      private_key_id: private_key_id ?? undefined,
      project_id: project_id ?? "stubbed",
      token_uri: new URL(token_uri ?? usualTokenUri),
      sign: () => Buffer.from("stubbed"),
    };
  },
  close: () => undefined,
};

/** Lists of members that stubs give: no container engine and no cluster is asked. */
export const stubbedDiscoveries = (stubs: CallStubs, effects: Effects): Discoveries => ({
  kept: new Recent(1),
  standIn: async (url) => {
    effects.add({ call: `GET ${url.href}` });
    const answer = stubs.answer("GET", url);
    if ("problem" in answer) throw new Failure("transport", effects.lacks(answer.problem), { upstream: 502 });
    if (answer.fails !== undefined) throw Object.assign(new Error("no answer"), { code: answer.fails });
    return { status: answer.status, text: typeof answer.body === "string" ? answer.body : JSON.stringify(answer.body) };
  },
  close: () => undefined,
});

/** Invented keys of AWS: no file, agent or machine is asked for real ones, and stubs check no signature. */
export const stubbedAws: AwsAccounts = {
  get: async () => ({ credentials: { access_key_id: "AKIDTEST", secret_access_key: "made up by the test" } }),
  region: async (_, { region }) => region || "us-east-1",
  forget: () => undefined,
  close: () => undefined,
};
