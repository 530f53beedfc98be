import { isUnset, itemsOf, member } from "../capabilities/member.ts";
import { isConfirmed } from "../confirms.ts";
import type { Assessor } from "./assessor.ts";

/** An agent may ask servers for tools, keep a conversation, and wait until a person agrees to a call. */
export const assessor: Assessor = (args) => {
  const tools = itemsOf(member(args, "tools"));
  const confirmed = tools.filter(isConfirmed);
  const remembers = !isUnset(member(args, "memory"));
  return {
    parts: tools.some((tool) => !isUnset(member(tool, "mcp"))) ? ["mcp_client"] : [],
    remembers,
    collides: remembers,
    waits: confirmed.length > 0,
    tells: confirmed.some((tool) => !isUnset(member(tool, "confirm", "interface"))),
  };
};
