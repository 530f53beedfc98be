import { actions, filters, matchers, transforms } from "#generated/features.ts";
import type { AnyAction, AnyMatcher, AnyTransform, Filter } from "#runtime/features/feature.ts";
import { InternalError } from "./diagnostics/diagnostic.ts";

/** The records that a plan names, by kind. */
interface Records {
  readonly transforms: AnyTransform;
  readonly matchers: AnyMatcher;
  readonly actions: AnyAction;
  readonly filters: Filter;
}

const tables: { readonly [Kind in keyof Records]: Readonly<Record<string, Records[Kind]>> } = { transforms, matchers, actions, filters };

/** The record of a feature that a plan names. Phase 2 has refused names that are unknown. */
export function recordOf<Kind extends keyof Records>(kind: Kind, name: string): Records[Kind] {
  const record = Object.hasOwn(tables[kind], name) ? tables[kind][name] : undefined;
  if (record === undefined) throw new InternalError(`there is no feature ${name} among the ${kind}`);
  return record;
}

/** The part of the process that an action needs. Other keys of an action need none. */
export const needsOf = (key: string): AnyAction["needs"] => (Object.hasOwn(actions, key) ? recordOf("actions", key).needs : undefined);
