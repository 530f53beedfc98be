import { agents } from "./agents.ts";
import { calls } from "./calls.ts";
import type { Door } from "./door.ts";
import { messages } from "./messages.ts";
import { stores } from "./stores.ts";

/** All doors: a test finds what has none. */
export const doors: readonly Door[] = [...agents, ...calls, ...stores, ...messages];
