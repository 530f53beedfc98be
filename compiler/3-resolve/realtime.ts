import { entry, get, scalarText } from "../1-read/document.ts";
import { mayBeOn } from "../2-check/started.ts";
import { realtime } from "../diagnostics/codes/realtime.ts";
import type { Report } from "../diagnostics/diagnostic.ts";
import type { ResolvedConfig, ResolvedInterface } from "./resolved.ts";

type Socket = { readonly config: ResolvedConfig; readonly target: ResolvedInterface };

/** What the sockets of all configurations share: paths by names (PW691), and channels, whose guards are those of one interface (PW690). */
export function checkRealtime(configs: readonly ResolvedConfig[], report: Report): void {
  const sockets = configs.flatMap((config) =>
    config.interfaces.flatMap((target): Socket[] => (scalarText(get(target.node, "ws")) === undefined ? [] : [{ config, target }])),
  );
  const first = new Map<string, Socket>();
  for (const socket of sockets) {
    const { target } = socket;
    const other = first.get(target.name);
    if (other === undefined) first.set(target.name, socket);
    else {
      const at = [{ at: other.target.span, message: "the other one" }];
      report(realtime.socketTwice(target.name, other.config.document.file), target.span, at);
    }
  }
  const guards = sockets.filter(({ target: { node } }) => scalarText(get(node, "subscribe_authorizer")) !== undefined);
  for (const { target } of sockets) {
    const guard = mayBeOn(target.node, "public") ? guards.find((each) => each.target !== target)?.target : undefined;
    if (guard === undefined) continue;
    report(realtime.openBesideGuard(target.name, guard.name), entry(target.node, "public")?.keySpan ?? target.span, [
      { at: guard.span, message: "guarded here" },
    ]);
  }
}
