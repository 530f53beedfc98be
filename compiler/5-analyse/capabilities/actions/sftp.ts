import { member } from "../member.ts";
import { joined, type Name, nameOf, namesOf } from "../names.ts";
import { all, type Toucher } from "../touched.ts";

/** A host, with its port where it is not 22, and the paths on it with the operation. */
export const toucher: Toucher = (args, known) => {
  const nameIn = (field: string): Name => nameOf(member(args, field), known);
  const [host, port, { name: verb }] = [nameIn("host"), nameIn("port"), nameIn("operation")];
  const address = port.name === "" || port.name === "22" ? host : joined([host, { name: ":" }, port]);
  const paths = ["path", "to"].flatMap((field) => namesOf(member(args, field), known));
  return [{ kind: "hosts", ...address }, ...all("files", paths).map((one) => ({ ...one, of: host.name, verb }))];
};
