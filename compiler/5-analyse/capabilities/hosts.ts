import type { Expr } from "#runtime/plan/index.ts";
import type { Sources } from "../../4-plan/inference/provenance.ts";
import { joined, type Name, nameOfPart, namesOf } from "./names.ts";

/** The hosts that a URL may lead to, each with its port where one is written. */
export function hostsOf(url: Expr, known: Sources): readonly Name[] {
  if (url.op !== "text") return namesOf(url, known).map(hostOfWhole);
  const names = url.parts.map((part) => nameOfPart(part, known));
  const [first] = names;
  // A value that begins the URL is a whole address, or at least its host.
  if (typeof url.parts[0] === "object" && first !== undefined)
    return [/^[/?#]|^$/.test(names[1]?.name ?? "") ? hostOfWhole(first) : hostIn(names)];
  return [hostIn(names)];
}

/** A value of the environment holds the whole address. */
const hostOfWhole = (name: Name): Name => (isMarker(name) || name.name === "*" ? name : hostIn([name]));

const isMarker = ({ name }: Name): boolean => /^a\|[^|]+\|$/.test(name);

/** A name cut at its markers, whose slashes and capital letters are no part of the URL. */
const pieces = (one: Name): readonly Name[] => one.name.split(/(a\|[^|]+\|)/).map((name) => ({ ...one, name }));

/** The first code of characters that stand for markers, since the slashes in a marker are no part of the URL. */
const standIn = 0xe000;

/** The authority of the parts put together, without user and password. */
function hostIn(written: readonly Name[]): Name {
  const names = written.flatMap(pieces);
  const whole = names.map((each, i) => (isMarker(each) ? String.fromCharCode(standIn + i) : each.name)).join("");
  const [, authority = ""] = /^\s*(?:[a-z][a-z0-9+.-]*:\/\/)?([^/?#]*)/i.exec(whole) ?? [];
  const host = authority.replace(/^.*@/, "").toLowerCase();
  const parts = [...host].map((sign): Name => {
    const marker = names[sign.charCodeAt(0) - standIn];
    return sign.charCodeAt(0) >= standIn && marker !== undefined ? marker : { name: sign };
  });
  // Data behind the host do not choose the host.
  const isChosen = host.includes("*");
  return { ...joined(parts), ...(isChosen ? fromOf(names) : {}) };
}

function fromOf(names: readonly Name[]): Pick<Name, "from"> {
  const { from } = joined(names);
  return from === undefined ? {} : { from };
}
