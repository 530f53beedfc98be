import type { Host } from "../process/host.ts";
import type { Config } from "../run/interface.ts";

/** Warns at the start about interfaces that accept any token of a client, even one without a valid signature. */
export function warnOfForgedTokens({ log }: Pick<Host, "log">, trigger: "ws" | "mqtt", configs: readonly Config[], remedy: string): void {
  const all = configs.flatMap(({ interfaces }) => interfaces);
  const open = all.filter((each) => each[trigger] !== undefined && each.public !== true && each.verifies !== true);
  if (open.length === 0) return;
  const msg = `${trigger}: clients need a token, and nothing verifies it, so that a forged one will do: ${remedy}`;
  log("warn", msg, { interfaces: open.map(({ name }) => name) });
}
