import { compare } from "bcryptjs";
import { SignJWT } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isObject } from "#runtime/value/json.ts";
import { ask, type Call, comparable, expectPromised, firstPost } from "./calls.ts";
import { rowCounts, type Service, serving, type Way, type World, ways } from "./serving.ts";
import { emptyCalls, type Starter, seededCalls } from "./starter-calls.ts";
import { jwtSecret } from "./worlds.ts";

/** A token for the user with the id 1, as the README makes one. */
export const token = await new SignJWT({ sub: "1", username: "alice", exp: 9_999_999_999 })
  .setProtectedHeader({ alg: "HS256" })
  .sign(new TextEncoder().encode(jwtSecret));

/** Sends the calls of the README on both ways, and compares every answer with its promise and with that of the other way. */
export function replays(starter: Starter, open: () => Promise<World>, schema: () => string): void {
  replay("after the seed", seededCalls(starter, token), open, async () => undefined);
  replay("after schema.sql", emptyCalls, open, ({ apply }) => apply(schema()));
}

function replay(when: string, calls: readonly Call[], open: () => Promise<World>, prepare: (world: World) => Promise<void>): void {
  const shown: Record<Way, string[]> = { compiled: [], interpreted: [] };

  describe.each(ways)(`${when}, %s`, (way) => {
    let world: World;
    let service: Service;
    beforeAll(async () => {
      world = await open();
      await prepare(world);
      service = await serving(world.texts, way, { variables: world.variables });
    });
    afterAll(async () => {
      await service?.close();
      await world?.close();
    });

    test.each(calls)("$does", async (call) => {
      const got = await ask(service.url, await filled(call, world));
      expectPromised(call, got);
      shown[way].push(`${call.does}: ${comparable(got)}`);
      if (call.rows !== undefined) expect(await rowCounts(world)).toEqual(call.rows);
    });

    test("only a hash of the password is kept, of cost 12", async () => {
      await ask(service.url, { method: "POST", path: "/api/users/create", body: { email: "z", username: "z", password: "Secret1!" } });
      const [stored = {}] = await world.look("SELECT password_hash FROM users WHERE username = 'z'");
      expect(stored.password_hash).toMatch(/^\$2b\$12\$/);
      expect(await compare("Secret1!", String(stored.password_hash))).toBe(true);
    });

    test("no secret has reached the log", () => {
      for (const secret of [jwtSecret, token, "Secret1!", "$2b$12$", "postgres://"]) expect(service.log.join("\n")).not.toContain(secret);
    });
  });

  test(`${when}: both ways give the same answers`, () => {
    expect(shown.compiled).toHaveLength(calls.length);
    expect(shown.interpreted).toEqual(shown.compiled);
  });
}

/** The call with the id that the database has given. */
export async function filled(call: Call, { look }: Pick<World, "look">): Promise<Call> {
  const { body } = call;
  if (!isObject(body) || !Object.values(body).includes(firstPost)) return call;
  const [post = {}] = await look("SELECT id FROM posts WHERE title LIKE 'Getting Started%'");
  return {
    ...call,
    body: Object.fromEntries(Object.entries(body).map(([key, value]) => [key, value === firstPost ? Number(post.id) : value])),
  };
}
