import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Project } from "ts-morph";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createHost } from "#runtime/process/host.ts";
import { client } from "../../../compiler/client/index.ts";
import { planTexts } from "../../../compiler/pipeline.ts";
import { bundled } from "../../harness/bundled.ts";
import { planned, printOne } from "../../harness/compile.ts";
import { run } from "../../harness/terminal.ts";

/** One interface for each way in which requests and answers differ. */
const text = `name: Notes
interfaces:
  notes/:id:
    method: GET
    summary: One note */ of many
    params: { edition: { default_value: latest, validate: { contains: { allowed: [latest, first] } } } }
    actions: [{ name: Note, json_output: { id: a|params::id|, edition: a|params::edition|, token: a|headers::authorization| } }]
    response: { custom_body: a|Note| }
    produces: { schema: { type: object, required: [id], properties: { id: { type: string }, edition: { type: string } } } }
  notes/create:
    method: POST
    accepts: { enforce: true, schema: { type: object, required: [title], properties: { title: { type: string } } } }
    actions: [{ name: Note, json_output: { title: a|body::title| } }]
  files:
    method: GET
    route: /files/*path
    actions: [{ name: File, json_output: a|params::path| }]
    response: { custom_body: a|File|, headers: { content-type: text/plain } }
  search:
    method: GET
    actions: [{ name: Found, json_output: a|params| }]
    response: { custom_body: a|Found| }
  later: { method: POST, respond: early, actions: [{ name: A, json_output: 1 }] }
  echo: { method: POST, actions: [{ name: Sent, json_output: { raw: a|raw_body|, type: a|headers::content-type| } }], response: { custom_body: a|Sent| } }
  anything: { method: ANY, actions: [{ name: A, json_output: a|request::method| }], response: { custom_body: a|A| } }
`;

const folder = mkdtempSync(join(tmpdir(), "pipewright-client-"));
afterAll(() => rmSync(folder, { recursive: true }));

const generated = async (...texts: readonly string[]): Promise<string> => {
  const { plans, failed, diagnostics } = planTexts(texts.map((each, i) => ({ file: `${i}.yaml`, text: each })));
  if (failed) throw new Error(diagnostics.map(({ message }) => message).join());
  return (await client(plans)) ?? "";
};

/** A function of the client. Its types are those of the generated file, which this file is not compiled with. */
type Call = (request?: unknown) => Promise<{ readonly status: number; readonly headers: Headers; readonly body: unknown }>;
type Operations = Readonly<Record<"notesId" | "notesCreate" | "files" | "search" | "later" | "echo" | "anything", Call>>;

describe("against a served bundle", () => {
  const host = createHost({ env: {}, log: () => undefined });
  let api: Operations;
  let server: { readonly url: string; readonly close: () => Promise<void> };
  beforeAll(async () => {
    const { config, open } = (await bundled([await printOne(planned(text, "notes.yaml"))]))("Notes");
    server = await open(host, config);
    const file = join(folder, "api.ts");
    writeFileSync(file, await generated(text));
    const { createClient } = await import(pathToFileURL(file).href);
    api = createClient({ baseUrl: `${server.url}/`, headers: async () => ({ authorization: "Bearer t" }) });
  });
  afterAll(async () => {
    await server.close();
    await host.close();
  });

  test("fills the route and the query, and sends the headers of the client", async () => {
    const { status, body } = await api.notesId({ params: { id: "a/b ü" }, query: { edition: "first" } });
    expect({ status, body }).toEqual({ status: 200, body: { id: "a/b ü", edition: "first", token: "Bearer t" } });
  });

  test("headers of a call stand before those of the client", async () => {
    const { body } = await api.notesId({ params: { id: 1 }, headers: { Authorization: "Bearer mine" } });
    expect(body).toEqual({ id: "1", edition: "latest", token: "Bearer mine" });
  });

  test("sends JSON, and reads the envelope of the actions", async () => {
    expect((await api.notesCreate({ body: { title: "Groceries" } })).body).toMatchObject({
      data: { Note: { data: { title: "Groceries" } } },
    });
  });

  test("the rest of a route keeps its slashes, and text stays text", async () => {
    expect((await api.files({ params: { path: "a b/c%2F.txt" } })).body).toBe("a b/c%2F.txt");
  });

  test("an undeclared query may hold anything, and a list repeats its name", async () => {
    expect((await api.search({ query: { q: "a&b=c", n: 3, none: undefined, nothing: null } })).body).toEqual({ q: "a&b=c", n: "3" });
  });

  test.each([
    ["JSON", undefined, '"a,b"', "application/json"],
    ["JSON of a kind of its own", "application/vnd.notes+json", '"a,b"', "application/vnd.notes+json"],
    ["itself under another type", "text/csv", "a,b", "text/csv"],
  ])("a text is sent as %s", async (_, type, raw, sentType) => {
    const headers = type === undefined ? {} : { "content-type": type };
    expect((await api.echo({ body: "a,b", headers })).body).toEqual({ raw, type: sentType });
  });

  test("an early answer says the request that goes on", async () => {
    const { status, body } = await api.later();
    expect({ status, body }).toEqual({ status: 202, body: { accepted: true, request_id: expect.any(String) } });
  });

  test("an interface for any method takes the method of the caller", async () => {
    expect((await api.anything({ method: "PUT" })).body).toBe("PUT");
  });

  test("a status of 400 or more is an error with what the service said", async () => {
    const refused = api.notesCreate({ body: { title: 1 } });
    await expect(refused).rejects.toMatchObject({
      name: "RequestFailed",
      message: "notes/create: the service has answered with status 422",
      status: 422,
      body: { errors: [{ pointer: "/title" }] },
      requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
  });

  test.each(["", ".", ".."])("a parameter %j, which would name another path, is not sent", async (id) => {
    await expect(api.notesId({ params: { id } })).rejects.toThrow(`id: "${id}" cannot be a part of a path`);
  });

  test("a signal ends a call", async () => {
    await expect(api.search({ signal: AbortSignal.abort(new Error("enough")) })).rejects.toThrow("enough");
  });
});

/** The errors that TypeScript finds in calls under strict flags, without the types of Node. */
const faults = async (calls: string, config = text): Promise<readonly string[]> => {
  const project = new Project({
    skipAddingFilesFromTsConfig: true,
    compilerOptions: {
      ...{
        strict: true,
        exactOptionalPropertyTypes: true,
        noUncheckedIndexedAccess: true,
        noUnusedLocals: true,
        noUnusedParameters: true,
      },
      ...{ target: 11, module: 99, lib: ["lib.es2022.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts"], types: [] },
      ...{ moduleResolution: 100, verbatimModuleSyntax: true, isolatedModules: true, skipLibCheck: true },
    },
  });
  project.createSourceFile(join(folder, "typed/api.ts"), await generated(config));
  project.createSourceFile(
    join(folder, "typed/use.ts"),
    `import { createClient } from "./api";\nconst api = createClient({ baseUrl: "" });\n${calls}\n`,
  );
  return project.getPreEmitDiagnostics().map((each) => `${each.getLineNumber()}: ${JSON.stringify(each.getMessageText())}`);
};

describe("types", () => {
  test("right calls pass, wrong ones do not", async () => {
    expect(
      await faults(`const { body } = await api.notesId({ params: { id: 1 }, query: { edition: "first" } });
export const id: string = body.id;
await api.notesCreate({ body: { title: "a" } });
await api.later();
await api.search({ query: { anything: [1, 2] } });`),
    ).toEqual([]);
    const wrong = await faults(`await api.notesId({ params: {} });
await api.notesCreate({});
await api.notesCreate({ body: { title: 1 } });
await api.notesId({ params: { id: 1 }, query: { editoin: "first" } });`);
    expect(wrong.map((each) => each.split(":")[0])).toEqual(["3", "4", "5", "6"]);
  });
});

describe("answers without a contract", () => {
  const inferred = `name: Shop
interfaces:
  orders/get:
    method: GET
    route: /orders/:id
    actions:
      - name: Order
        json_output: { id: a|params::id|, kind: order, lines: [{ sku: a1, count: 2 }], "*/ a": a|body| }
      - { name: Count, run_when_succeeded: [Order], json_output: 3, hide_data_on_success: true }
  orders/raw:
    method: GET
    actions: [{ name: Order, json_output: { id: a|uuid|, more: a|headers::x| } }]
    response: { custom_body: a|Order| }
  text: { method: GET, actions: [{ name: A, json_output: a|request::method| }], response: { custom_body: "<a|A|>" } }
  xml: { method: GET, actions: [{ name: A, json_output: { a: 1 } }], response: { custom_body: a|A|, headers: { Content-Type: text/xml } } }
  other: { method: GET, actions: [{ name: A, json_output: { a: 1 } }], response: { custom_body: a|A|, headers: { x-a: b } } }
  open: { method: GET, actions: [{ name: A, input: a|body| }], response: { custom_body: a|A| } }
  empty: { method: GET, actions: [{ name: A, json_output: { a: 1 } }], response: { custom_body: a|A| }, assert: { http_code_on_success: 204, tests: [{ action: A, value: a, is_equal_to: 1 }] } }
`;

  test("have the types that follow from the actions", async () => {
    const code = await generated(inferred);
    expect(/\/\*\* The answer of `orders\/get`[\s\S]*?\n};/.exec(code)?.[0]).toMatchInlineSnapshot(`
      "/** The answer of \`orders/get\`, as far as it follows from its actions. */
      export type OrdersGetAnswer = {
        data: {
          Order?: {
            data: { id: unknown; kind: "order"; lines: { sku: "a1"; count: 2 }[]; "*/ a": unknown } | null;
            message?: string;
            error?: string;
            errors?: string[];
            "time.ms": number;
          };
          Count?: { data?: 3 | null; message?: string; error?: string; errors?: string[]; "time.ms": number };
        };
        message?: string;
        error?: string;
        errors?: string[];
      };"
    `);
    expect(/export type TextAnswer = .*/.exec(code)?.[0]).toBe("export type TextAnswer = string | undefined;");
    expect(/export type OtherAnswer = .*/.exec(code)?.[0]).toBe("export type OtherAnswer = { a: 1 } | null;");
    expect(code).not.toMatch(/(?:Xml|Open|Empty)Answer/);
  });

  test("right readings pass, wrong ones do not", async () => {
    expect(
      await faults(
        `const { body } = await api.ordersGet({ params: { id: 1 } });
export const kind: "order" | undefined = body.data.Order?.data?.kind;
export const count: number | undefined = body.data.Order?.data?.lines[0]?.count;
export const sku: unknown = body.data.Order?.data?.["*/ a"];
export const error: string | undefined = body.error;
export const id: string | undefined = (await api.ordersRaw()).body?.id;
export const text: string = (await api.text()).body ?? "";
export const xml: unknown = (await api.xml()).body;`,
        inferred,
      ),
    ).toEqual([]);
    const wrong = await faults(
      `const { body } = await api.ordersGet({ params: { id: 1 } });
export const kind: "invoice" | undefined = body.data.Order?.data?.kind;
export const count = body.data.Order?.data?.lines[0]?.cuont;
export const gone = body.data.Nothing;
export const id: number | undefined = (await api.ordersRaw()).body?.id;
export const sure: string = (await api.ordersRaw()).body.id;
export const text: string = (await api.text()).body;`,
      inferred,
    );
    expect(wrong.map((each) => each.split(":")[0])).toEqual(["4", "5", "6", "7", "8", "9"]);
  });

  test("a contract stands before what follows from the actions", async () => {
    expect(await generated(text)).not.toContain("NotesIdAnswer");
  });
});

test("names and texts of the configuration are no code", async () => {
  const action = 'actions: [{ name: A, json_output: { "*/ `${x}\\u2028\\u202e": 1, __proto__: "*/ }\\n;" } }]';
  const hostile = [
    'name: "x\\u2028*/ process.exit(1)"',
    "interfaces:",
    `  a: { method: GET, summary: "*/ alert(1)\\u2028\`\${x}", route: "/x/:id", ${action} }`,
    `  toString: { method: GET, route: "/y", ${action} }`,
    `  constructor: { method: GET, route: "/z", params: { 'a-b"*/': { default_value: 1 } }, ${action} }`,
  ].join("\n");
  expect(await faults("void api;", hostile)).toEqual([]);
  const file = join(folder, "hostile.ts");
  writeFileSync(file, await generated(hostile));
  const { createClient } = await import(pathToFileURL(file).href);
  expect(Object.keys(createClient({ baseUrl: "http://127.0.0.1:1" }))).toHaveLength(3);
});

test("the same configurations in another order give the same bytes", async () => {
  const { plans } = planTexts([
    { file: "b.yaml", text },
    { file: "a.yaml", text: text.replace("name: Notes", "name: More").replace(/^ {2}(\w+)/gm, "  more-$1") },
  ]);
  expect(await client(plans)).toBe(await client(plans.toReversed()));
});

describe("generate --client", () => {
  test("writes the file, and --check compares it", async () => {
    writeFileSync(join(folder, "notes.yaml"), text);
    expect((await run(folder, "generate", "notes.yaml", "--client", "web/api.ts")).err).toContain("wrote web/api.ts\n");
    expect((await run(folder, "generate", "notes.yaml", "--client", "web/api.ts", "--check")).status).toBe(0);
    writeFileSync(join(folder, "notes.yaml"), text.replace("One note", "A note"));
    const { status, out } = await run(folder, "generate", "notes.yaml", "--client", "web/api.ts", "--check");
    expect(status).toBe(2);
    expect(out).toContain("--- web/api.ts");
  });

  test("says that there is nothing to call", async () => {
    writeFileSync(join(folder, "cli.yaml"), "name: c\ninterfaces: { x: { output: cli, actions: [{ name: A, json_output: 1 }] } }\n");
    const { status, err } = await run(folder, "generate", "cli.yaml", "--client", "api.ts");
    expect({ status, err }).toEqual({
      status: 3,
      err: "pipewright: api.ts: no client is written, since no interface of these configurations has a route\n",
    });
  });
});
