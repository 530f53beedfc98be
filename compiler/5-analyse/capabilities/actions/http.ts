import type { Expr } from "#runtime/plan/index.ts";
import type { Sources } from "../../../4-plan/inference/provenance.ts";
import { hostsOf } from "../hosts.ts";
import { isUnset, itemsOf, member } from "../member.ts";
import { type Name, namesOf, readable } from "../names.ts";
import { all, type Touched, type Toucher } from "../touched.ts";

/** The hosts of the request, its proxy and its further pages, within the allowed hosts, and the files that it sends. */
export const toucher: Toucher = (args, known) => {
  const allowed = member(args, "allowed_hosts");
  const bounds = isUnset(allowed) ? ["public"] : namesOf(allowed, known).map(({ name }) => readable(name));
  const bounded = (names: readonly Name[]): readonly Touched[] =>
    names.map((name) => ({ kind: "hosts", ...name, ...(name.from === undefined ? {} : { within: bounds }) }));
  return [
    ...bounded(hostsOf(member(args, "url"), known)),
    ...bounded(hostsOf(member(args, "proxy"), known)),
    ...bounded(namesOf(member(args, "pagination", "next_link_host"), known)),
    ...all("files", filesOf(member(args, "multipart"), known)),
  ];
};

/** Files of the parts of a body. */
const filesOf = (multipart: Expr, known: Sources): readonly Name[] =>
  itemsOf(multipart).flatMap((part) => namesOf(member(part, "file_path"), known));
