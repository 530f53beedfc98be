import { expect } from "vitest";
import { gated, untested } from "./played/calls.ts";
import { plays, type Step } from "./played/play.ts";

// csv-import: what is posted as CSV becomes rows, and nothing but rows.

const rows = 'SELECT name, email FROM contacts ORDER BY email COLLATE "C"';
const inserted = { data: { InsertOne: { data: [], "time.ms": expect.any(Number) } } };
const post = (does: string, text: string, type = "text/csv"): Pick<Step, "does" | "method" | "path" | "headers" | "text"> => ({
  ...{ does, method: "POST", path: "/contacts/import", text },
  headers: { "content-type": type },
});
const imports = (does: string, text: string, parsed: readonly object[], holds: Step["holds"], type?: string): Step => ({
  ...{ ...post(does, text, type), ...(holds === undefined ? {} : { holds }) },
  gives: {
    ParseCsv: untested(parsed),
    InsertRows: untested(parsed.map(() => inserted)),
    Respond: untested({ status: "imported" }),
  },
});
const ann = { name: "Ann", email: "ann@example.com" };
const bea = { name: 'Bea "B", Bond', email: "bea@example.com" };
const injected = { name: "x'); DROP TABLE contacts; --", email: "\\'; DELETE FROM contacts" };

plays({ pack: "csv-import", postgres: true }, [
  {
    ...{ does: "makes its table", method: "POST", path: "/api/seed" },
    gives: { CreateContactsTable: {}, TruncateContacts: {}, Respond: untested({ status: "seeded" }) },
  },
  imports("imports", 'name,email\nAnn,ann@example.com\r\n"Bea ""B"", Bond",bea@example.com\n', [ann, bea], { [rows]: [ann, bea] }),
  imports("imports nothing twice", "name,email\nAnn,ann@example.com", [ann], { [rows]: [ann, bea] }),
  imports("imports SQL as text", `name,email\n"${injected.name}","${injected.email}"`, [injected], { [rows]: [injected, ann, bea] }),
  imports(
    "imports a plain text",
    "email,name\n1,2",
    [{ email: "1", name: "2" }],
    { [rows]: [{ name: "2", email: "1" }, injected, ann, bea] },
    "text/plain",
  ),
  imports(
    "imports what a spreadsheet has saved, with its byte order mark",
    "\ufeffname,email\r\nCid,cid@example.com\r\n",
    [{ name: "Cid", email: "cid@example.com" }],
    undefined,
  ),
  imports("imports a head without rows", "name,email\n", [], undefined),
  {
    ...{ ...post("wants a body", ""), status: 500 },
    gives: { ParseCsv: { data: null, error: "action failed" }, InsertRows: gated("ParseCsv"), Respond: gated("InsertRows") },
  },
  {
    ...{ ...post("says how many rows fail", "name,email\nCid,cid@example.com\n\0,nul@example.com"), status: 500 },
    gives: {
      ParseCsv: untested([
        { name: "Cid", email: "cid@example.com" },
        { name: "\0", email: "nul@example.com" },
      ]),
      InsertRows: {
        data: [inserted, { data: { InsertOne: { data: null, error: "action failed", "time.ms": expect.any(Number) } } }],
        error: "1 of 2 items failed",
      },
      Respond: gated("InsertRows"),
    },
    holds: { "SELECT count(*)::int AS n FROM contacts": [{ n: 5 }] },
  },
]);
