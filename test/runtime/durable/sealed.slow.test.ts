import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { send } from "../../harness/sockets.ts";
import { alarm, until } from "../../harness/until.ts";
import { durable } from "../store/run-stores.ts";
import { json, servicesOf } from "./nodes.ts";

// PIPEWRIGHT_RUNS_KEY seals what the database keeps of durable runs, on every node (spec/surfaces 14).

const config = `
name: approvals
interfaces:
  ask:
    method: POST
    actions:
      - { name: Load, json_output: { secret: "hush output a|body::order|" } }
      - name: Approval
        wait_for_callback: { token: "a|body::token|", timeout: 1d }
      - name: Ship
        run_when_succeeded: [Approval]
        http: { method: POST, url: "a|env::UPSTREAM|/ship", body: { answer: a|Approval::body.answer|, loaded: a|Load::secret| } }
`;

const newKey = (): string => randomBytes(32).toString("base64");
const token = "hush-token-of-32-characters-0001";

describe.each(durable)("$name", ({ name, open }) => {
  const given = servicesOf(config, open);

  /** A run that waits, begun by a node that has ended. */
  const waiting = async (keys: string): Promise<string> => {
    const one = await given.nodes.node("printed", { keys });
    const { text } = await send(one.url, "/ask", json({ order: "hush input", token }));
    const { request_id: id } = JSON.parse(text);
    await until(async () => expect(await given.nodes.runs.show(id)).toMatchObject({ status: "waiting", node: null }));
    await one.signal("SIGKILL");
    return id;
  };

  test("a node with the key behind a newer one goes on with the run", { timeout: 2 * alarm }, async () => {
    const old = newKey();
    const id = await waiting(old);
    const two = await given.nodes.node("walked", { keys: `${newKey()},${old}` });
    expect((await send(two.url, `/_pipewright/callback/${token}`, json({ answer: "hush payload" }))).status).toBe(202);
    await until(() => expect(given.nodes.asked).toHaveLength(1));
    expect(JSON.parse(given.nodes.asked[0]?.body ?? "")).toEqual({ answer: "hush payload", loaded: "hush output hush input" });
    given.nodes.answer(0);
    await until(async () =>
      expect(await given.nodes.runs.show(id)).toMatchObject({ status: "done", result: expect.stringMatching(/^v1\./) }),
    );
    if (name !== "sqlite") return;
    const folder = dirname(given.place.address.slice("sqlite:".length));
    const bytes = Buffer.concat(readdirSync(folder).map((file) => readFileSync(join(folder, file))));
    expect(bytes.includes(id)).toBe(true);
    expect(bytes.includes("hush")).toBe(false);
  });

  test("a node with another key leaves it waiting, and says why", { timeout: 2 * alarm }, async () => {
    const id = await waiting(newKey());
    const two = await given.nodes.node("printed", { keys: newKey() });
    expect((await send(two.url, `/_pipewright/callback/${token}`, json({ answer: "yes" }))).status).toBe(202);
    await until(() =>
      expect(two.log).toContainEqual(
        expect.objectContaining({ level: "error", msg: expect.stringContaining("PIPEWRIGHT_RUNS_KEY"), run_uuid: id }),
      ),
    );
    expect(given.nodes.asked).toEqual([]);
    expect(await given.nodes.runs.show(id)).toMatchObject({ status: "open", settled: ["Load"] });
  });
});
