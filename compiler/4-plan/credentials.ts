import { actions } from "#generated/features.ts";
import type { Asks, JsonSchema } from "#runtime/features/feature.ts";
import type { Expr } from "#runtime/plan/index.ts";
import { isObject } from "#runtime/value/json.ts";
import { type Entry, entriesOf, get, type Node, textOf } from "../1-read/document.ts";
import { cloud as codes } from "../diagnostics/codes/cloud.ts";
import { nearest } from "../diagnostics/nearest.ts";
import { recordOf } from "../records.ts";
import { mapOf } from "./lower/fold.ts";
import { lower } from "./lower/values.ts";
import { configRoots, type Lowering, readingOnly } from "./markers/scope.ts";
import { checkFields } from "./written.ts";

/** The clouds whose credentials have names: entries of `global.<cloud>_credentials`. The records of actions list these clouds. */
const clouds: ReadonlySet<string> = new Set(
  Object.keys(actions).flatMap((name) => Object.keys(recordOf("actions", name).credentials ?? {})),
);

const mapOfCloud = (cloud: string): string => `${cloud}_credentials`;

/** The schema of an entry, which the record of an action brings (`credentials` in feature.ts). */
function schemaOf(cloud: string, { definitions }: Lowering): JsonSchema {
  const entry = definitions.Global?.properties?.[mapOfCloud(cloud)]?.additionalProperties;
  return typeof entry === "object" ? entry : {};
}

/** The requirements for the credentials of a cloud, from the record of the first action of the cloud. */
function asksOf(cloud: string): Asks | undefined {
  for (const name of Object.keys(actions)) {
    const { credentials = {}, asks = {} } = recordOf("actions", name);
    if (Object.hasOwn(credentials, cloud) && typeof asks.credential === "object") return asks.credential;
  }
  return undefined;
}

/** The named credentials of a config, which actions of the clouds use. */
export class Credentials {
  readonly #global: Node | undefined;

  /** Lowers each entry once, so that its mistakes are reported exactly once, even when no action uses the entry. */
  constructor(root: Node, cx: Lowering) {
    this.#global = get(root, "global");
    for (const cloud of clouds) {
      for (const { key, value } of entriesOf(get(this.#global, mapOfCloud(cloud)))) {
        const scope = { ...cx.scope, allowed: configRoots, secrets: new Map() };
        lower(value, schemaOf(cloud, cx), { ...cx, scope }, { field: key, required: false });
        checkFields(value, asksOf(cloud), cx.report);
      }
    }
  }

  /** The arguments of an action with the settings of its credential in the place of the name. */
  fill(args: Expr, block: Node, cloud: string, cx: Lowering): Expr {
    const chosen = this.#chosen(block, mapOfCloud(cloud), cx);
    const rest = membersOf(args).filter(([key]) => key !== "credential");
    if (chosen === undefined) return mapOf(rest);
    // The constructor has already reported mistakes in the entry.
    const silent = readingOnly(configRoots, { ...cx, report: () => undefined });
    const settings = lower(chosen.value, schemaOf(cloud, cx), silent, { field: chosen.key, required: false });
    return mapOf([["credential", settings], ...rest]);
  }

  has(cloud: string): boolean {
    return entriesOf(get(this.#global, mapOfCloud(cloud))).length > 0;
  }

  /** The entry that the block names, else the only one (PW470, PW471). */
  #chosen(block: Node, map: string, { report }: Lowering): Entry | undefined {
    const entries = entriesOf(get(this.#global, map));
    const names = entries.map(({ key }) => key);
    const node = get(block, "credential");
    const name = textOf(node);
    if (node === undefined || name === undefined) {
      if (entries.length > 1) report(codes.whichCredential(map, names), block.span);
      return entries[0];
    }
    const entry = entries.find(({ key }) => key === name);
    if (entry === undefined) report(codes.unknownCredential(name, map, nearest(name, names), names), node.span);
    return entry;
  }
}

function membersOf(args: Expr): readonly (readonly [string | Expr, Expr])[] {
  if (args.op === "map") return args.entries;
  return args.op === "lit" && isObject(args.value) ? Object.entries(args.value).map(([key, value]) => [key, { op: "lit", value }]) : [];
}
