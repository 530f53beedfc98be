import { randomBytes } from "node:crypto";
import type { FastifyInstance } from "fastify";
import type { ApiReply } from "#runtime/admin/watched.ts";
import type { PageParts } from "#runtime/triggers/pages.ts";
import type { Json } from "#runtime/value/json.ts";
import type { Live } from "../../7-link/live.ts";
import type { FixRequest } from "./fixes.ts";
import { forbidden, isOwnPage, isOwnUser } from "./own-user.ts";
import { mountTests } from "./page-tests.ts";
import type { Shown } from "./shown.ts";

/** The most bytes in the body of a request that changes something. */
const mostBytes = 4_096;

/**
 * The console of `dev`, at `/_pipewright/dev`: every user of this machine may view it without a key, since they can read the files, too.
 * Only the page itself, which has a token, may act: change a durable run, write a fix into a file, and run tests.
 */
export function mountConsole(app: FastifyInstance, { consoles }: Pick<Live, "consoles">, parts: PageParts, shown: () => Shown): void {
  const { consoleAnswers, consolePage, giveOrder, say } = consoles();
  const token = randomBytes(24).toString("base64url");
  const meta = `<meta name="token" content="${token}" />`;
  const { headers, body } = consolePage({ ...parts, page: parts.page.replace("<!--dev-->", meta) });
  const answers = consoleAnswers(() => shown().facts());
  app.addContentTypeParser("application/json", { parseAs: "string", bodyLimit: mostBytes }, (_request, text, done) => done(null, text));
  app.get("/_pipewright/dev", ({ raw }, reply) => (isOwnUser(raw) ? reply.headers(headers).send(body) : reply.code(403).send(forbidden)));
  app.get("/_pipewright/api/*", async ({ raw }, reply) => {
    const { watched } = shown();
    if (!isOwnUser(raw)) return reply.code(403).send(forbidden);
    if (watched === undefined) return reply.code(503).send({ error: "unavailable", message: "nothing is served yet" });
    const { pathname, searchParams } = new URL(raw.url ?? "/", "http://localhost");
    reply.hijack();
    const path = pathname.slice("/_pipewright".length);
    const answer = await answers(path, new Map(searchParams), watched, raw, reply.raw).catch((): ApiReply => unavailable);
    if (answer !== undefined && !reply.raw.headersSent) say(raw, reply.raw, answer.status, answer.body);
  });
  app.post<{ Params: { id: string; order: string } }>(
    "/_pipewright/api/v1/durable-runs/:id/:order",
    async ({ raw, body: text, params }, reply) => {
      const { watched } = shown();
      if (!isOwnPage(raw, token)) return reply.code(403).send(forbidden);
      if (watched === undefined || !orders.test(params.order)) return reply.code(404).send({ error: "not_found" });
      const order = jsonOf(text);
      if (order === undefined) return reply.code(400).send({ error: "invalid_json" });
      const { status, body: answer } = await giveOrder(params, order, {}, watched).catch((): ApiReply => unavailable);
      return reply.code(status).send(answer);
    },
  );
  mountTests(app, token, shown);
  app.get("/_pipewright/changes", ({ raw }, reply) =>
    isOwnUser(raw) ? reply.header("cache-control", "no-store").send({ modules: shown().changes() }) : reply.code(403).send(forbidden),
  );
  app.post("/_pipewright/fix", ({ raw, body: text }, reply) => {
    if (!isOwnPage(raw, token)) return reply.code(403).send(forbidden);
    const request = fixRequest(text);
    if (request === undefined) return reply.code(400).send({ error: "invalid_param", message: "code, file, line and column name a fix" });
    const problem = shown().fix(request);
    return problem === undefined ? reply.send({ written: request.file }) : reply.code(409).send({ error: "conflict", message: problem });
  });
}

const orders = /^(?:resume|cancel|retry)$/;

function jsonOf(text: unknown): Json | undefined {
  try {
    return JSON.parse(String(text)) as Json;
  } catch {
    return undefined;
  }
}

const unavailable: ApiReply = { status: 503, body: { error: "unavailable", message: "the store of runs does not answer" } };

function fixRequest(text: unknown): FixRequest | undefined {
  try {
    const { code, file, line, column }: Partial<Record<keyof FixRequest, unknown>> = JSON.parse(String(text));
    const isNamed = typeof code === "string" && typeof file === "string" && typeof line === "number" && typeof column === "number";
    return isNamed ? { code, file, line, column } : undefined;
  } catch {
    return undefined;
  }
}
