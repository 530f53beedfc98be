import { own } from "../json.ts";
import type { Run } from "../run.ts";

/** A setting of an action that was read at the start: the module that asks for it has read it under this name. Undefined: it was left out. */
export const setting = <V>(cx: Run, name: string): V => own(cx.config.settings ?? {}, name) as V;
