import type { JsonObject } from "../../value/json.ts";
import type { Body, ResponseTemplates } from "../response.ts";
import type { Run } from "../run.ts";

/** Templates of the answer, some of which wait for a filter of jq. */
export interface AsyncTemplates {
  readonly headers?: () => JsonObject | Promise<JsonObject>;
  readonly custom_body?: () => Body | Promise<Body>;
  readonly error_body?: () => Body | Promise<Body>;
}

/**
 * Declares a `response` with a template that waits. The templates are evaluated when every action has settled, and the run is over when
 * they are evaluated.
 */
export function asyncRespond(cx: Run, { headers, custom_body, error_body }: AsyncTemplates): void {
  const prepare = async (): Promise<void> => {
    // An answer that is already known needs no templates.
    if (cx.short !== undefined) return;
    cx.respond({
      ...(custom_body === undefined ? {} : { custom_body: await known(custom_body) }),
      ...(error_body === undefined ? {} : { error_body: await known(error_body) }),
      ...(headers === undefined ? {} : { headers: await known(headers) }),
    } satisfies ResponseTemplates);
  };
  cx.prepare = prepare;
  cx.lastly(prepare);
}

/** Evaluates a template. An error is kept, and thrown again where the answer needs the value. */
async function known<Value>(template: () => Value | Promise<Value>): Promise<() => Value> {
  try {
    const value = await template();
    return () => value;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}
