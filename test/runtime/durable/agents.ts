import { expect } from "vitest";
import type { Json, JsonObject } from "#runtime/value/json.ts";
import { send } from "../../harness/sockets.ts";
import { until } from "../../harness/until.ts";
import { type GivenService, json } from "./nodes.ts";

/** Agents of durable runs, whose model and tools all ask one service (spec/surfaces 15.1). */
export const agents = `
name: shop
interfaces:
  ask:
    method: POST
    actions:
      - name: Answer
        agent:
          model: { api: openai, url: "a|env::UPSTREAM|", name: m1 }
          prompt: a|body::q|
          tools:
            - { interface: refund, confirm: { interface: notify, timeout: 2h } }
            - { interface: pay, confirm: true }
            - { interface: hurry, confirm: { timeout: 1ms } }
            - { interface: look }
  kept:
    method: POST
    durable: true
    actions:
      - name: Answer
        retry: { attempts: 2, delay: 1ms }
        agent:
          model: { api: openai, url: "a|env::UPSTREAM|", name: m1, price: { input: 1, output: 2 } }
          prompt: a|body::q|
          tools: [{ interface: look }, { interface: pay }]
          memory: { key: talk }
  early:
    method: POST
    durable: true
    respond: early
    actions:
      - name: Answer
        agent: { model: { api: openai, url: "a|env::UPSTREAM|", name: m1 }, prompt: a|body::q|, tools: [{ interface: look }] }
  passing:
    method: POST
    actions:
      - name: Answer
        agent: { model: { api: openai, url: "a|env::UPSTREAM|", name: m1 }, prompt: a|body::q|, tools: [{ interface: stored }] }
  stored: { durable: true, actions: [{ name: L, http: { method: POST, url: "a|env::UPSTREAM|/look", body: a|body| } }] }
  many:
    method: POST
    actions:
      - name: Each
        lookup: a|body::questions|
        actions:
          - name: Answer
            agent:
              model: { api: openai, url: "a|env::UPSTREAM|", name: m1 }
              prompt: a|body::q|
              tools: [{ interface: pay, confirm: true }]
  refund:
    accepts: { schema: { type: object, required: [order], properties: { order: { type: integer } } } }
    actions: [{ name: R, http: { method: POST, url: "a|env::UPSTREAM|/refund", body: a|body|, idempotency: {} } }]
  pay: { actions: [{ name: P, http: { method: POST, url: "a|env::UPSTREAM|/pay", body: a|body|, idempotency: {} } }] }
  hurry: { actions: [{ name: P, http: { method: POST, url: "a|env::UPSTREAM|/hurry" } }] }
  look: { actions: [{ name: L, http: { method: POST, url: "a|env::UPSTREAM|/look", body: a|body|, idempotency: {} } }] }
  notify: { output: none, actions: [{ name: M, http: { method: POST, url: "a|env::UPSTREAM|/mail", body: a|body| } }] }
`;

/** An answer of the model that asks for these calls, or has this text. */
export function turn(what: string | readonly (readonly [name: string, args: Json])[]): string {
  const calls = typeof what === "string" ? [] : what;
  const tool_calls = calls.map(([name, args], i) => ({
    id: `c${i}`,
    type: "function",
    function: { name, arguments: JSON.stringify(args) },
  }));
  const message = { role: "assistant", content: typeof what === "string" ? what : null, ...(calls.length === 0 ? {} : { tool_calls }) };
  return JSON.stringify({ choices: [{ message, finish_reason: "stop" }], usage: { prompt_tokens: 3, completion_tokens: 2 } });
}

/** Questions and answers by which a test plays the model and the services of tools. */
export function playing(given: GivenService) {
  const paths = (): string[] => given.nodes.asked.map(({ path }) => path.replace("/chat/completions", "/model"));
  const bodyOf = (number: number): JsonObject => JSON.parse(given.nodes.asked[number]?.body ?? "{}");
  const run = async (id: string) => given.nodes.runs.show(id);
  return {
    paths,
    bodyOf,
    /** Waits for these requests, in any order. */
    asked: (...expected: readonly string[]): Promise<void> => until(() => expect(paths().toSorted()).toEqual(expected.toSorted())),
    /** Answers the request that has come last for this path. */
    answers: (path: string, body?: string, status = 200): void => given.nodes.answer(paths().lastIndexOf(path), status, body),
    headers: (path: string) => given.nodes.asked.filter(({ path: each }) => each === path).map(({ headers }) => headers),
    /** Results of tools in the last question to the model. */
    told: (): string[] =>
      ((bodyOf(paths().lastIndexOf("/model")).messages ?? []) as JsonObject[]).flatMap(({ role, content }) =>
        role === "tool" ? [String(content)] : [],
      ),
    /** Asks, and gives the id of the run once it waits. */
    waiting: (id: string): Promise<void> => until(async () => expect(await run(id)).toMatchObject({ status: "waiting", node: null })),
    /** The data of the agent when the run has ended. */
    ended: (id: string): Promise<JsonObject> =>
      until(async () => {
        const ended = await run(id);
        expect(ended?.status).toBe("done");
        const { body } = JSON.parse(ended?.result ?? "{}");
        return JSON.parse(body).data.Answer.data;
      }),
    posted: (url: string, path: string, body: object) => send(url, path, json(body)),
  };
}
