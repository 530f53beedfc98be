import { paramHeadersOf } from "../../../formats/mcp-param-headers.ts";
import type { Act } from "../../../run/run.ts";
import type { JsonObject } from "../../../value/json.ts";
import { visibleLine } from "../../../value/visible.ts";
import { validatorsOf } from "./validators.ts";

/** choice: bounds of the tools that a server may offer, and of messages about these tools. */
const bounds = { name: 128, schema: 65_536, shown: 40, named: 3 };

/** A tool as a server offers it. */
export interface Offered {
  readonly name: string;
  readonly description?: string | undefined;
  readonly inputSchema: JsonObject;
}

/** Why a tool cannot be used; undefined when it can. `repeats`: arguments are repeated in headers, where the schema says so. */
export function faultOf(act: Act, { name, inputSchema }: Offered, repeats: boolean): string | undefined {
  if (name === "" || name.length > bounds.name) return `its name has not 1 to ${bounds.name} characters`;
  if (visibleLine(name) !== name) return "its name holds characters that nobody sees";
  const fault = schemaFault(act, inputSchema, repeats);
  return fault === undefined ? undefined : `its schema is refused: ${fault}`;
}

function schemaFault(act: Act, schema: JsonObject, repeats: boolean): string | undefined {
  if (JSON.stringify(schema).length > bounds.schema) return `it has more than ${bounds.schema} characters`;
  try {
    validatorsOf(act.run.host).of(schema);
    const [reason] = repeats ? paramHeadersOf(schema).reasons : [];
    return reason === undefined ? undefined : `x-mcp-header: ${inLine(reason, 200)}`;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return inLine(error.message, 200);
  }
}

/** A text of a server as it can be shown: in one line and short, whatever it holds. */
const inLine = (text: string, most: number): string => visibleLine(text.length > most ? `${text.slice(0, most)}…` : text);

/** Says in one record, however many there are, which tools are left out and why. */
export function sayLeftOut(act: Act, host: string, left: readonly (readonly [name: string, fault: string])[]): void {
  if (left.length === 0) return;
  const first = left.slice(0, bounds.named).map(([name, fault]) => `'${inLine(name, bounds.shown)}': ${fault}`);
  const more = left.length > bounds.named ? [`and ${left.length - bounds.named} more`] : [];
  act.run.host.log("warn", `agent: tools of ${host} are left out: ${[...first, ...more].join("; ")}`, act.place);
}
