import type { InterfaceCalls } from "../run/interface.ts";
import { LiveRun } from "../run/live-run.ts";
import { bareRequest } from "../run/request.ts";
import { attributesOf } from "../tracing/run-span.ts";
import { bodyIn, paramsIn } from "./mcp/arguments.ts";
import { beginRun } from "./message-run.ts";

/** Runs interfaces as tools of agents, and interfaces that ask a person to confirm a call (spec/surfaces 15.1). */
export const interfaceCalls: InterfaceCalls = ({ run: caller, cancellation }, target, args, span) => {
  const { host, config, received } = caller;
  const body = bodyIn(args, target.tool ?? {});
  const raw_body = JSON.stringify(body);
  const run = new LiveRun(host, config, target, {
    ...bareRequest(host, "agent"),
    ...{ method: "POST", headers: received.headers, ip: received.ip, params: paramsIn(args), body, raw_body },
    bytes: Buffer.from(raw_body),
    parent: caller.id,
    hops: (received.hops ?? 0) + 1,
    agents: [...(received.agents ?? []), caller.interface.name],
  });
  const journal = caller.journal?.within();
  if (journal !== undefined) run.journal = journal;
  run.span = span?.child(target.name, attributesOf(run));
  return new Promise((resolve) => {
    // A durable run goes on without its caller.
    const end = (): void => (target.durable === undefined ? run.abandon("the agent was cancelled") : undefined);
    const forget = cancellation.listen(end);
    beginRun(run, (reply) => {
      forget();
      resolve(reply);
    });
  });
};
