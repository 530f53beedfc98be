import { describe, expect, test } from "vitest";
import { planTexts, printAll } from "../../../compiler/pipeline.ts";
import { send } from "../../harness/sockets.ts";
import { type Service, serving, ways } from "../../packs/played/serving.ts";

// A connection string, and the password in it, appear in no log, no answer and no printed module, whatever the driver does with them.

const password = "canary-7f3a-p@ss";
const encoded = encodeURIComponent(password);

/** Addresses that do not answer, or that cannot be understood. */
const addresses: readonly (readonly [driver: string, address: string])[] = [
  ["postgres", `postgres://someone:${encoded}@127.0.0.1:1/db`],
  ["postgres", `postgres://someone:${encoded}@[oops/db`],
  ["mysql", `mysql://someone:${encoded}@127.0.0.1:1/db`],
  ["mysql", `mysql://someone:${encoded}@127.0.0.1:1/db?ssl-ca=/nowhere/${encoded}.pem`],
  ["mysql", `someone:${password}@tcp(127.0.0.1:1)/db`],
  ["mssql", `mssql://someone:${encoded}@127.0.0.1:1/db`],
  ["mssql", `Server=127.0.0.1,1;User Id=someone;Password=${password};Encrypt=maybe`],
  ["mssql", `Server=127.0.0.1,1;User Id=someone;Password="${password}"`],
  ["mongodb", `mongodb://someone:${encoded}@127.0.0.1:1/db?serverSelectionTimeoutMS=200`],
  ["mongodb", `mongodb://someone:${encoded}@127.0.0.1:1/db?unknownOption=${encoded}`],
  ["sqlite", `sqlite:/nowhere/${encoded}.db`],
];

const config = (driver: string): string => `
name: t
global:
  databases:
    main: { driver: ${driver}, conn_string: "a|ap_var::DSN|" }
interfaces:
  t:
    method: GET
    show_error_detail: true
    actions:
      - name: A
        database: main
        ${driver === "mongodb" ? "document_operation: { collection: c, operation: find }" : "query: SELECT 1"}
`;

describe.each(addresses)("%s, %s", (driver, address) => {
  test.each(ways)("%s: the action fails, and says nothing of its connection", async (way) => {
    const texts = [{ file: "t.yml", text: config(driver) }];
    const service: Service = await serving(texts, way, { variables: { DSN: address } });
    const { status, text } = await send(service.url, "/t");
    const ready = await send(service.url, "/readyz");
    await service.close();
    expect([status, JSON.parse(text).data.A.error]).toEqual([500, expect.stringMatching(/^database: \S/)]);
    const printed = (await printAll(planTexts(texts), { interpret: way === "interpreted" })).map(({ code, map }) => code + map);
    for (const shown of [text, ready.text, service.log.join("\n"), ...printed]) {
      for (const secret of [password, encoded, address]) expect(shown).not.toContain(secret);
    }
  });
});
