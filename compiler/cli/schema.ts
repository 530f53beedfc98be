import { resolve } from "node:path";
import { actions, matchers, transforms } from "#generated/features.ts";
import { assembleSchema } from "../2-check/schema.ts";
import { writeWhole } from "../6-link/write.ts";
import { status, type Terminal } from "./project.ts";

/** The JSON Schema of configurations, for editors. */
export function schema({ out }: { readonly out?: string }, terminal: Terminal): number {
  const text = `${JSON.stringify(assembleSchema({ actions, matchers, transforms }), null, 2)}\n`;
  if (out === undefined) terminal.out(text);
  else writeWhole(resolve(terminal.cwd, out), text);
  return status.done;
}
