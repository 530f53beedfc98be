import { isObject } from "#runtime/value/json.ts";
import { itemsOf, member } from "../member.ts";
import { type Name, nameOf, namesOf } from "../names.ts";
import { all, type Touched, type Toucher } from "../touched.ts";

/** The script that the shell gets, or the program of a list. */
export const toucher: Toucher = (args, known) => {
  const run = member(args, "run");
  const shell = namesOf(member(args, "shell"), known).map(({ name }) => name);
  const of = shell.length === 0 ? {} : { of: shell.join(" ") };
  if (run.op === "list" || (run.op === "lit" && Array.isArray(run.value)))
    return programOf(itemsOf(run).map((item) => nameOf(item, known)));
  const script = run.op === "map" || (run.op === "lit" && isObject(run.value)) ? member(run, "script") : run;
  return all("commands", namesOf(script, known)).map((one) => ({ ...one, ...of }));
};

const programOf = ([program]: readonly Name[]): readonly Touched[] =>
  program === undefined ? [] : [{ kind: "commands", ...program, of: "program" }];
