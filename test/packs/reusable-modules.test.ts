import { SignJWT } from "jose";
import { expect } from "vitest";
import type { Json } from "#runtime/value/json.ts";
import { gated, passed, time, untested } from "./played/calls.ts";
import { anyOrder, now, plays, refused, type Step } from "./played/play.ts";
import { jwtSecret } from "./played/worlds.ts";

// The calls of the README of reusable-modules-starter: three configs that share a connection and a check, each written once.

const sign = (claims: Readonly<Record<string, unknown>>, secret = jwtSecret): Promise<string> =>
  new SignJWT({ sub: "1", ...claims }).setProtectedHeader({ alg: "HS256" }).sign(new TextEncoder().encode(secret));
const seconds = Math.floor(now / 1000);
const good = await sign({ exp: seconds + 60 });
const old = await sign({ exp: seconds - 61 });
const forged = await sign({ exp: seconds + 60 }, `${jwtSecret}x`);

interface Kind {
  readonly path: string;
  readonly list: string;
  readonly create: string;
  /** The second column. */
  readonly key: "email" | "domain";
}
const contacts: Kind = { path: "/contacts", list: "ListContacts", create: "CreateContact", key: "email" };
const companies: Kind = { path: "/companies", list: "ListCompanies", create: "CreateCompany", key: "domain" };

const id = expect.stringMatching(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
const row = (key: string, [name, value]: readonly [string, Json]) => ({ id, name, [key]: value, created_at: time });
const creation = (
  does: string,
  { path }: Kind,
  body: Json,
  authorization?: string,
): Pick<Step, "does" | "method" | "path" | "body" | "headers"> => ({
  ...{ does: `${path}: ${does}`, method: "POST", path: `${path}/create`, body },
  headers: authorization === undefined ? {} : { authorization },
});
const lists = (does: string, { path, list, key }: Kind, ...rows: readonly (readonly [string, Json])[]): Step => ({
  ...{ does: `${path}: ${does}`, path },
  gives: { [list]: untested(anyOrder(...rows.map((each) => row(key, each)))) },
});
const creates = (does: string, kind: Kind, name: string, value: Json, token = good): Step => ({
  ...creation(does, kind, { name, ...(value === null ? {} : { [kind.key]: value }) }, token),
  gives: { RequireAuth: passed, ValidateBody: passed, [kind.create]: untested(row(kind.key, [name, value])) },
});
const refuses = (does: string, kind: Kind, token?: string): Step => ({
  ...{ ...creation(does, kind, { name: "x" }, token), status: 401 },
  gives: {
    RequireAuth: refused(expect.any(Object), "missing or invalid bearer token"),
    ...{ ValidateBody: gated("RequireAuth"), [kind.create]: gated("ValidateBody") },
  },
});
const unnamed = (kind: Kind, body: Json): Step => ({
  ...{ ...creation(`wants a name, not ${JSON.stringify(body)}`, kind, body, good), status: 400 },
  gives: { RequireAuth: passed, ValidateBody: refused(body, "name is required"), [kind.create]: gated("ValidateBody") },
});

const people = [
  ["Ada Lovelace", "ada@example.com"],
  ["Grace Hopper", "grace@example.com"],
  ["Alan Turing", "alan@example.com"],
] as const;
const firms = [
  ["Acme Inc", "acme.example.com"],
  ["Globex", "globex.example.com"],
] as const;
const injected = "x'); DROP TABLE contacts; --";
const steps = ["EnableExtensions", "CreateContactsTable", "CreateCompaniesTable", "TruncateTables", "InsertContacts", "InsertCompanies"];

plays({ pack: "reusable-modules-starter", postgres: true }, [
  {
    ...{ does: "seeds", method: "POST", path: "/api/seed" },
    gives: { ...Object.fromEntries(steps.map((name) => [name, {}])), SeedSummary: untested({ contacts: 3, companies: 2 }) },
  },
  lists("lists", contacts, ...people),
  lists("lists", companies, ...firms),
  creates("creates", contacts, "Katherine Johnson", "kj@example.com"),
  creates("creates for a bearer", contacts, injected, "' OR '1'='1", `Bearer ${good}`),
  creates("creates without the rest", contacts, "No Mail", null),
  creates("creates", companies, "Initech", "initech.example.com"),
  ...[contacts, companies].flatMap((kind) => [
    refuses("refuses who has no token", kind),
    refuses("refuses an old token", kind, old),
    refuses("refuses a forged token", kind, forged),
    refuses("refuses half a token", kind, good.slice(0, -20)),
    refuses("refuses an unsigned token", kind, `${good.split(".").slice(0, 2).join(".")}.`),
    ...[{}, { name: "" }, { name: null }, []].map((body) => unnamed(kind, body)),
  ]),
  lists(
    "lists what was created",
    contacts,
    ...people,
    ["Katherine Johnson", "kj@example.com"],
    [injected, "' OR '1'='1"],
    ["No Mail", null],
  ),
  lists("lists what was created", companies, ...firms, ["Initech", "initech.example.com"]),
]);
