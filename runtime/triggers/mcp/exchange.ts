import { hopsName, hopsOf, isTooDeep } from "../../outgoing/hops.ts";
import type { Host } from "../../process/host.ts";
import { refusals } from "../../run/refusals.ts";
import type { Reply } from "../../run/response.ts";
import type { EndpointRequest } from "../endpoint.ts";
import { answer } from "../http/answer.ts";
import { receive } from "../http/body.ts";
import { refuse } from "../http/refusal.ts";
import { Client } from "./client.ts";
import { envelopeOf, type RpcFailure, unparsedFor } from "./envelope.ts";
import { isTrusted, originsIn } from "./origin.ts";
import type { Conversation } from "./protocol.ts";
import type { McpServer } from "./servers.ts";

/** Answers one request of a client, with the checks in the order of spec/surfaces 6. */
export function exchange(host: Host, server: McpServer, request: EndpointRequest): void {
  const { message, response, id, closes } = request;
  if (!isTrusted(message, request.bound, originsIn(host.env("PIPEWRIGHT_MCP_ORIGINS")))) {
    refuse(response, refusals.forbidden, id);
    return;
  }
  if (isTooDeep(hopsOf(message.headers[hopsName]))) {
    refuse(response, refusals.loopDetected, id);
    return;
  }
  if (!/^application\/json\s*(?:;|$)/i.test(message.headers["content-type"] ?? "")) {
    refuse(response, refusals.unsupportedMediaType, id);
    return;
  }
  const say = (reply: Reply): void => {
    if (!response.writableEnded && !response.destroyed) answer(response, reply, id, closes());
  };
  receive({ message, response }, host.limits, (received) => {
    if ("code" in received) {
      if (received.code === refusals.invalidJson.code) say(failed(unparsedFor(received.message)));
      else refuse(response, received, id);
      return;
    }
    if (received.sent.length === 0) {
      say(failed(unparsedFor()));
      return;
    }
    const envelope = envelopeOf(received.value, message.headers);
    if ("error" in envelope) {
      say(failed(envelope));
      return;
    }
    const client = new Client(host, request);
    speakTo(server, { ...envelope, client }).then(say, (error: unknown) => {
      client.bug(error);
      if (!response.headersSent) refuse(response, refusals.internalError, id);
    });
  });
}

/** Answers with the library, which the first request loads. */
async function speakTo(server: McpServer, conversation: Conversation): Promise<Reply> {
  const { speak } = await import("./protocol.ts");
  return speak(server, conversation);
}

const failed = ({ status, id, error }: RpcFailure): Reply => ({
  status,
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ jsonrpc: "2.0", id, error }),
});
