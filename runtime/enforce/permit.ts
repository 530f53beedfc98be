import { collectionsOf } from "../languages/document-stages.ts";
import { type TableUse, tablesOfText } from "../languages/sql/tables.ts";
import type { Capabilities, CapabilityKind } from "../plan/capabilities.ts";
import type { Touch, TouchedByQuery } from "../plan/touch.ts";
import type { Permit } from "../run/interface.ts";
import { Failure } from "../value/failure.ts";
import { Recent } from "../value/recent.ts";
import { visibleLine } from "../value/visible.ts";
import { hostName } from "./host-name.ts";
import { type Listed, listed, type Thing } from "./listed.ts";

/** The number of queries and hosts that are remembered: to parse a query costs more than to run a short one. */
const mostTexts = 500;

/** Characters of the longest text that is remembered; longer texts are read each time, so that the memory stays small. */
const longestText = 4_096;

/** Refuses what these capabilities do not list; `whose` names their interface or configuration in the message. */
export function permitOf(capabilities: Capabilities, whose: string): Permit {
  const read = remembered(hostName);
  const entries = new Map<CapabilityKind, readonly Listed[]>();
  for (const [kind, list = []] of Object.entries(capabilities) as [CapabilityKind, Capabilities[CapabilityKind]][]) // the kinds of a manifest
    entries.set(
      kind,
      list.map((one) => listed(kind, one, read)),
    );
  const readers = new Map<string, (text: string) => readonly Thing[]>();
  return (run, touch) => {
    for (const thing of thingsIn(touch, readers))
      if (entries.get(thing.kind)?.some((one) => one.lists(thing, run)) !== true) throw refused(thing, whose);
  };
}

function thingsIn(touch: Touch, readers: Map<string, (text: string) => readonly Thing[]>): readonly Thing[] {
  if (touch.kind === "query") return readerOf(touch, readers)(touch.text);
  return touch.kind === "documents" ? collectionsOf(touch.request).map((use) => tableOf(use, touch.of)) : [touch];
}

const tableOf = ({ table, verb }: TableUse, of: string): Thing => ({ kind: "tables", name: table, of, verb });

/** Reads the queries of one database. */
function readerOf(
  { database, speaks }: TouchedByQuery,
  readers: Map<string, (text: string) => readonly Thing[]>,
): (text: string) => readonly Thing[] {
  const reader = readers.get(database) ?? remembered((text: string) => tablesOfText(text, speaks).map((use) => tableOf(use, database)));
  readers.set(database, reader);
  return reader;
}

/** Wraps a reader so that it remembers its results for the latest texts. */
function remembered<R>(read: (text: string) => R): (text: string) => R {
  const results = new Recent<R>(mostTexts);
  return (text) => {
    if (text.length > longestText) return read(text);
    const earlier = results.get(text);
    if (earlier !== undefined) return earlier;
    const result = read(text);
    results.set(text, result);
    return result;
  };
}

/** The words of a message for each kind. */
const nouns: Readonly<Record<CapabilityKind, string>> = {
  hosts: "host",
  tables: "table",
  commands: "command",
  channels: "channel",
  topics: "topic",
  mail_servers: "mail server",
  mail_senders: "sender of mail",
  mail_recipients: "receiver of mail",
  tools: "tool",
  secrets: "secret",
  state: "key of the state",
  files: "file",
};

/** The failure of a touch that is not listed. It is final, since a retry would be refused, too. */
function refused(thing: Thing, whose: string): Failure {
  return new Failure("manifest", `manifest: ${described(thing)} is not listed for ${whose}`, { upstream: 502, final: true });
}

function described(thing: Thing): string {
  if (thing.kind === "hosts") return hostIn(thing.name);
  const { kind, name, of, verb } = thing;
  const place = of === undefined ? "" : kind === "tables" ? ` of database ${quoted(of)}` : ` of ${quoted(of)}`;
  if (kind === "tables" && name === "*")
    return `any table${place}${verb === "*" ? "" : ` (${verb})`}, which a statement may touch that cannot be read,`;
  return `${nouns[kind]} ${quoted(name)}${verb === undefined ? "" : ` (${verb})`}${place}`;
}

/** Words for the host of an address, without the rest of it: an address may hold a password. */
function hostIn(address: string): string {
  const { host, port } = hostName(address);
  const name = port === undefined ? host : `${host}:${port}`;
  return /^[\p{L}\p{N}_.:[\]-]+$/u.test(name) ? `${nouns.hosts} ${quoted(name)}` : "a host";
}

/** Characters of a name that a message shows at most: a script may be long. */
const longest = 120;

const quoted = (name: string): string => `'${visibleLine(name.length > longest ? `${name.slice(0, longest)}…` : name)}'`;
