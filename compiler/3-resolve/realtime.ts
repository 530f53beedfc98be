import { matchers } from "#generated/features.ts";
import type { AnyMatcher } from "#runtime/features/feature.ts";
import { entriesOf, entry, get, items, type Node, scalarText } from "../1-read/document.ts";
import { mayBeOn } from "../2-check/started.ts";
import { realtime } from "../diagnostics/codes/realtime.ts";
import type { Report } from "../diagnostics/diagnostic.ts";
import type { ResolvedConfig, ResolvedInterface } from "./resolved.ts";

type Socket = { readonly config: ResolvedConfig; readonly target: ResolvedInterface };

/** True when a test of an interface, or of the interface that decides about its channels, verifies the token of a client. */
export function verifiesToken(target: Node, interfaces: Node | undefined): boolean {
  if (["ws", "mqtt"].every((key) => scalarText(get(target, key)) === undefined)) return false;
  const authorizer = scalarText(get(target, "subscribe_authorizer"));
  return testsToken(target) || (authorizer !== undefined && testsToken(get(interfaces, authorizer)));
}

/** Matchers that only a caller who knows a secret can pass. */
const proofs = Object.entries<AnyMatcher>(matchers).flatMap(([name, { proves }]) => (proves ? [name] : []));

/** True when a header or a parameter must equal a value of the configuration, such as an API key that the author has chosen. */
function comparesSecret(test: Node): boolean {
  const isOfClient = /^\s*a\|(?:request::)?(?:headers|params)\b/.test(scalarText(get(test, "value")) ?? "");
  return isOfClient && /^\s*a\|secret::[^|]*\|\s*$/.test(scalarText(get(test, "is_equal_to")) ?? "");
}

function testsToken(node: Node | undefined): boolean {
  const isTest = items(get(node, "tests")).some(
    (test) => proofs.some((matcher) => get(test, matcher) !== undefined) || comparesSecret(test),
  );
  return isTest || [...items(node), ...entriesOf(node).map(({ value }) => value)].some(testsToken);
}

/** Reports triggers whose clients need a token that no test verifies: a forged token is accepted (PW675). */
function checkTokens({ node, name, verifies }: ResolvedInterface, report: Report): void {
  if (verifies || mayBeOn(node, "public")) return;
  for (const trigger of ["ws", "mqtt"] as const) {
    const at = scalarText(get(node, trigger)) === undefined ? undefined : entry(node, trigger)?.keySpan;
    if (at !== undefined) report(realtime.forgedToken(name, trigger), at);
  }
}

/**
 * Checks what the sockets of all configurations share: paths by names (PW691); channels, which only one interface may guard (PW690); and
 * whether tokens are verified.
 */
export function checkRealtime(configs: readonly ResolvedConfig[], report: Report): void {
  for (const { interfaces } of configs) for (const target of interfaces) checkTokens(target, report);
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
