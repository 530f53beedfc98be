import { touches } from "../../../outgoing/touches.ts";
import type { Steps } from "../../../run/journal.ts";
import type { Act } from "../../../run/run.ts";
import { stateFor } from "../../../state/open.ts";
import { checkName, type StateKey } from "../../../state/store.ts";
import { Failure } from "../../../value/failure.ts";
import { isObject, type Json } from "../../../value/json.ts";
import type { Message } from "./conversation.ts";

/** A `memory` block after evaluation. */
export interface MemoryArgs {
  readonly key: string | null;
  readonly namespace?: string | null;
  readonly max_messages?: number | null;
  /** Milliseconds. */
  readonly ttl?: number | null;
}

/** A conversation as it was when the run began. Without a place nothing is kept. */
export interface Recollection {
  readonly messages: readonly Message[];
  readonly version: number;
  readonly kept?: { readonly place: StateKey; readonly most: number; readonly ttl: number };
}

/** choice: a value of the state has a mebibyte at most. */
const mostCharacters = 900_000;
const day = 86_400_000;

/** The conversation so far. */
export async function recall(act: Act, steps: Steps, args: MemoryArgs | undefined): Promise<Recollection> {
  if (args === undefined) return { messages: [], version: 0 };
  if (args.key === null || args.key === "") throw new Failure("evaluation", "field key: expected the key of a conversation, got none");
  const place = { namespace: args.namespace ?? act.run.config.name, key: args.key };
  checkName("key", place.key);
  checkName("namespace", place.namespace);
  for (const verb of ["get", "set"]) touches(act.run, { kind: "state", name: place.key, of: place.namespace, verb });
  const keeping = { place, most: args.max_messages ?? 40, ttl: args.ttl ?? day };
  const memory = { ...(await steps.once("memory", () => read(act, place))), kept: keeping };
  act.throwIfCancelled();
  return memory;
}

async function read(act: Act, place: StateKey): Promise<Pick<Recollection, "messages" | "version">> {
  const stored = await stateFor(act.run, act).get(place);
  return { messages: messagesIn(stored?.value ?? null), version: stored?.version ?? 0 };
}

/** The stored messages. Another config may have written the key: a value that is no conversation counts as an empty one. */
const messagesIn = (value: Json): readonly Message[] =>
  Array.isArray(value) && value.every(isMessage)
    ? (value as unknown as readonly Message[]) // written below
    : [];

function isMessage(value: Json): boolean {
  if (!isObject(value)) return false;
  const { role, content, calls = [], results } = value;
  const areObjects = (list: Json | undefined): boolean => Array.isArray(list) && list.every(isObject);
  if (role === "tool") return areObjects(results);
  return content !== undefined && (role === "user" || (role === "assistant" && areObjects(calls)));
}

/**
 * Appends new messages. When another run has appended messages meanwhile, they stay before these; when that happens twice, the action fails
 * with a conflict.
 */
export async function remember(act: Act, { messages, version, kept }: Recollection, added: readonly Message[]): Promise<void> {
  if (kept === undefined) return;
  const { place, most, ttl } = kept;
  const store = stateFor(act.run, act);
  const longer = (before: readonly Message[]): readonly Message[] => trimmed([...before, ...added.map(withoutThoughts)], most);
  const write = (before: readonly Message[], expected: number): Promise<number | undefined> =>
    store.set(place, longer(before) as unknown as Json, { ttl, expected }); // messages are plain data
  if ((await write(messages, version)) !== undefined) return;
  const again = await read(act, place);
  // The process that has begun the run may have appended it already.
  if (act.run.journal?.isResumed === true && JSON.stringify(again.messages) === JSON.stringify(longer(messages))) return;
  if ((await write(again.messages, again.version)) === undefined)
    throw new Failure("state", `state conflict on '${place.key}'`, { status: 409 });
}

/** The message without thoughts: they belong to one question, and the next question may go to another model. */
function withoutThoughts(message: Message): Message {
  if (message.role !== "assistant") return message;
  const { blocks: _, ...rest } = message;
  return rest;
}

/** The newest messages that fit. Calls of tools go first, each with its results; what is left begins with a message of the user. */
export function trimmed(messages: readonly Message[], most: number): readonly Message[] {
  let rest = [...messages];
  let characters = JSON.stringify(rest).length;
  const isOver = (): boolean => rest.length > most || characters > mostCharacters;
  while (rest.length > 0 && isOver()) {
    const call = rest.findIndex((message) => message.role === "assistant" && message.calls !== undefined);
    const [from, count] = call < 0 ? [0, 1] : [call, rest[call + 1]?.role === "tool" ? 2 : 1];
    characters -= JSON.stringify(rest.slice(from, from + count)).length;
    rest.splice(from, count);
  }
  const first = rest.findIndex(({ role }) => role === "user");
  rest = first < 0 ? [] : rest.slice(first);
  return rest;
}
