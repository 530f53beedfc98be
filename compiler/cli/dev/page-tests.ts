import type { FastifyInstance } from "fastify";
import type { InterfaceFacts } from "#runtime/console/facts.ts";
import { forbidden, isOwnPage, isOwnUser } from "./own-user.ts";
import type { Shown } from "./shown.ts";

/** Adds the routes for tests to the page of `dev`. Only the page itself may run tests; every reader of the page sees their coverage. */
export function mountTests(app: FastifyInstance, token: string, shown: () => Pick<Shown, "facts" | "tests">): void {
  app.post("/_pipewright/tests", async ({ raw }, reply) => {
    const { tests } = shown();
    if (!isOwnPage(raw, token)) return reply.code(403).send(forbidden);
    if (tests === undefined) return reply.code(503).send({ error: "unavailable", message: "nothing is served yet" });
    return reply.send(await tests.run());
  });
  app.get<{ Querystring: Readonly<Record<string, string>> }>("/_pipewright/coverage", async ({ raw, query }, reply) => {
    if (!isOwnUser(raw)) return reply.code(403).send(forbidden);
    const { facts, tests } = shown();
    const page = pageOf(facts(), query.config ?? "", query.interface ?? "");
    const covered = page === undefined ? undefined : await tests?.coverageOf(page.config, page.interface, page.yaml);
    return reply.header("cache-control", "no-store").send({ covered: covered ?? null });
  });
}

function pageOf({ map, pages }: ReturnType<Shown["facts"]>, config: string, target: string): InterfaceFacts | undefined {
  const page = pages[map.findIndex((entry) => entry.config === config && entry.interface === target)];
  return page === undefined ? undefined : (JSON.parse(page) as InterfaceFacts); // the compiler has written it
}
