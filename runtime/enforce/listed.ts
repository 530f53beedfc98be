import type { Capability, CapabilityKind } from "../plan/capabilities.ts";
import type { TouchedHost, TouchedThing } from "../plan/touch.ts";
import type { Run } from "../run/run.ts";
import { type HostName, isSameHost } from "./host-name.ts";
import { fits, fitsLevels, joined, type NameParts, type NamePattern, namePattern, onlyText } from "./name-pattern.ts";

/** A single thing that may be listed: of a query, one of its tables. */
export type Thing = TouchedHost | TouchedThing;

/** An entry of a manifest that has been read. */
export interface Listed {
  /** Says whether the entry lists the thing that a run is about to touch. */
  readonly lists: (thing: Thing, run: Run) => boolean;
}

/** Reads the host of an address. */
export type ReadHost = (address: string) => HostName;

/** Reads an entry once; its markers are filled at each question. */
export function listed(kind: CapabilityKind, { name, of, verbs, from, within }: Capability, read: ReadHost): Listed {
  const pattern = namePattern(name);
  const owner = of === undefined ? undefined : namePattern(of);
  const bounds = within?.map(namePattern);
  return {
    lists: (thing, run) => {
      const parts = pattern.partsIn(run);
      if (parts === undefined) return false;
      if (thing.kind === "hosts")
        return (
          hostFits(parts, thing, read) && (from === undefined || bounds === undefined || isWithin(bounds, thing, run, read(thing.name)))
        );
      if (verbs !== undefined && !verbs.includes("*") && (thing.verb === undefined || !verbs.includes(thing.verb))) return false;
      return isOf(owner, thing.of, run) && nameFits(kind, parts, thing.name);
    },
  };
}

/** Compares a listed host with the one that is asked for. A listed name that data choose in part must fit the whole host with its port. */
function hostFits(parts: NameParts, { name, usualPort }: TouchedHost, read: ReadHost): boolean {
  const host = read(name);
  const only = onlyText(parts);
  if (only !== undefined) return isSameHost(read(only), host, usualPort);
  return fits(parts, host.port === undefined ? host.host : `${host.host}:${host.port}`);
}

/**
 * Says whether a host that data choose is within the listed bounds. `public` allows addresses that are checked when a connection is opened.
 */
function isWithin(bounds: readonly NamePattern[], { fromData }: TouchedHost, run: Run, { host, port }: HostName): boolean {
  const names = port === undefined ? [host] : [host, `${host}:${port}`];
  return bounds.some((bound) => {
    const parts = bound.partsIn(run);
    if (parts === undefined) return false;
    const only = onlyText(parts)?.trim().toLowerCase();
    if (only === "public") return fromData === true;
    if (only === undefined) return names.some((name) => fits(parts, name));
    return only === "*" || names.includes(only) || (only.startsWith("*.") && names.some((name) => name.endsWith(only.slice(1))));
  });
}

const isOf = (owner: NamePattern | undefined, asked: string | undefined, run: Run): boolean => {
  const parts = owner?.partsIn(run);
  return parts === undefined ? owner === undefined && asked === undefined : asked !== undefined && fits(parts, asked);
};

function nameFits(kind: CapabilityKind, parts: NameParts, asked: string): boolean {
  switch (kind) {
    case "channels":
      return fitsLevels(parts, asked, ":/");
    case "topics":
      return fitsLevels(parts, asked, "/");
    case "mail_servers":
      return fits(inSmallLetters(parts), asked.toLowerCase());
    case "mail_senders":
    case "mail_recipients":
      return mailboxesIn(parts).some((one) => fits(one, asked.toLowerCase()));
    case "hosts":
    case "tables":
    case "commands":
    case "tools":
    case "secrets":
    case "state":
    case "files":
      return fits(parts, asked);
  }
}

const inSmallLetters = (parts: NameParts): NameParts => parts.map((part) => (typeof part === "string" ? part.toLowerCase() : part));

/** The addresses in a text such as `Shop <shop@example.com>, b@example.com`. */
function mailboxesIn(parts: NameParts): readonly NameParts[] {
  const boxes: NameParts[number][][] = [[]];
  for (const part of inSmallLetters(parts)) {
    if (typeof part !== "string") boxes.at(-1)?.push(part);
    else {
      for (const sign of part) {
        if (sign === ",") boxes.push([]);
        else if (sign === "<") boxes[boxes.length - 1] = [];
        else if (sign !== ">" && sign.trim() !== "") boxes.at(-1)?.push(sign);
      }
    }
  }
  return boxes.filter((box) => box.length > 0).map(joined);
}
