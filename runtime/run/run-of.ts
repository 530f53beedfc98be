import type { Json } from "../value/json.ts";
import type { Known } from "../value/known.ts";
import type { Act, ActArguments, Run } from "./run.ts";

/** A run of which a printed module says what data its actions leave, by their names. */
export interface RunOf<Data extends DataByName<Data>> extends Run {
  readonly act: StartOf<Data> & Run["act"];
}

type DataByName<Data> = { readonly [Name in keyof Data]: Json };

type StartOf<Data extends DataByName<Data>> = <Name extends keyof Data & string>(name: Name, ...spec: ActArguments) => ActOf<Data[Name]>;

/** An action whose data are known. */
interface ActOf<Data extends Json> extends Act {
  readonly data: Known<Data>;
}
