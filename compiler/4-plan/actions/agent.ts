import { entry, get, items, plain } from "../../1-read/document.ts";
import { agents as codes } from "../../diagnostics/codes/agents.ts";
import { schemaFaults } from "../interfaces/json-schema.ts";
import type { Planner } from "./planner.ts";
import { checkWait } from "./wait_for_callback.ts";

/**
 * Checks that an agent has one beginning (`prompt` or `messages`) and that its schema is a JSON Schema. Phase 3 has already checked its
 * tools.
 */
export const planner: Planner = {
  check(block, { at }, cx) {
    const [prompt, messages] = [entry(block, "prompt"), entry(block, "messages")];
    if ((prompt === undefined) === (messages === undefined)) cx.report(codes.prompt(), messages?.keySpan ?? at);
    for (const tool of items(get(block, "tools"))) checkWait("timeout", get(get(tool, "confirm"), "timeout"), 1, cx);
    const schema = get(get(block, "output"), "schema");
    if (schema === undefined) return;
    const [fault] = schemaFaults(plain(schema));
    if (fault !== undefined)
      cx.report(
        codes.outputSchema(fault.remedy === undefined ? fault.reason : `the validator would decide ${fault.reason} wrongly`),
        schema.span,
      );
  },
};
