import type { Expr } from "#runtime/plan/index.ts";
import type { Sources } from "../../../4-plan/inference/provenance.ts";
import { isUnset, member } from "../member.ts";
import { type Name, namesOf } from "../names.ts";
import { all, type Touched, type Toucher } from "../touched.ts";

/** The names that are looked up, and the services that are asked for addresses. */
export const toucher: Toucher = (args, known) => [
  ...all("hosts", namesOf(member(args, "dns", "name"), known)),
  ...(isUnset(member(args, "kubernetes")) ? [] : all("hosts", [{ name: "a|env::KUBERNETES_SERVICE_HOST|" }])),
  ...(isUnset(member(args, "docker")) ? [] : engines(member(args, "docker", "socket"), known).flatMap(socketOf)),
];

/** The addresses of engines, as the action gives them. */
const engines = (given: Expr, known: Sources): readonly Name[] =>
  isUnset(given)
    ? [{ name: "/var/run/docker.sock" }]
    : namesOf(given, known).map((name) => ({ ...name, name: name.name.replace(/^unix:(?:\/\/)?(?=\/)/, "") }));

/** The address of an engine, or the file of its socket. A value that begins with a marker may be either. */
function socketOf(name: Name): readonly Touched[] {
  const file: Touched = { kind: "files", ...name };
  if (name.name.includes("://")) return [{ kind: "hosts", name: URL.parse(name.name.replace(/^tcp:/, "http:"))?.host ?? name.name }];
  return name.name.startsWith("a|") || name.name === "*" ? [file, { kind: "hosts", ...name }] : [file];
}
