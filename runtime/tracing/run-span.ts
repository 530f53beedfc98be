import type { Run } from "../run/run.ts";
import type { Attributes, Tracer } from "./tracer.ts";

/** The attributes of the span of a run. */
export const attributesOf = ({ id, config, interface: target, input }: Run): Attributes => ({
  "pipewright.config": config.name,
  "pipewright.interface": target.name,
  "pipewright.trigger": input.trigger,
  "pipewright.run_uuid": id,
  ...(input.caller?.isTrusted ? { "pipewright.request_id": input.caller.text } : {}),
});

/** Traces a run that is not inside a span: such a run has no caller outside, so that its span begins a trace. */
export function traceAlone(run: Run, tracer: Tracer | undefined): void {
  if (tracer !== undefined) run.span ??= tracer.begin(run.interface.name, "internal", attributesOf(run));
}
