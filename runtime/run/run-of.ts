import type { Json } from "../value/json.ts";
import type { Known } from "../value/known.ts";
import type { Act, ActArguments, Run } from "./run.ts";

/** A run with the types of the data of its actions, by their names, as a printed module knows them. */
export interface RunOf<Data extends DataByName<Data>> extends Run {
  readonly act: StartOf<Data> & Run["act"];
}

type DataByName<Data> = { readonly [Name in keyof Data]: Json };

type StartOf<Data extends DataByName<Data>> = <Name extends keyof Data & string>(name: Name, ...spec: ActArguments) => ActOf<Data[Name]>;

/** An action with a known type of data. */
interface ActOf<Data extends Json> extends Act {
  readonly data: Known<Data>;
}
