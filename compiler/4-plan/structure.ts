import { leafTypes } from "#runtime/languages/structure.ts";
import { elementPath, memberPath } from "#runtime/paths/member-path.ts";
import type { Step, TestPlan } from "#runtime/plan/index.ts";
import { type Entry, entriesOf, entry, get, isNull, type MapNode, type Node, scalarText } from "../1-read/document.ts";
import { typeOfNode } from "../2-check/forms.ts";
import { checkTest } from "../2-check/index.ts";
import { shape } from "../diagnostics/codes/file.ts";
import { tests as codes } from "../diagnostics/codes/tests.ts";
import type { Report } from "../diagnostics/diagnostic.ts";
import { nearest } from "../diagnostics/nearest.ts";

/** A place inside the target: as it is written in error texts, and step by step. */
export interface TargetPlace {
  readonly path: string;
  readonly steps: readonly Step[];
}

/** The operand of a `verify_schema` without the tests of its leaves, and these tests by their paths. */
export interface Split {
  readonly node: Node;
  readonly leaves: Readonly<Record<string, TestPlan>>;
}

/**
 * Takes the tests of the leaves out of a `verify_schema` (spec/language 6.5): the rest is plain data. Only the value of its `type` tells a
 * leaf from other members, so phase 2 leaves the structure to phase 4. A part with a mistake is replaced by a part that any value fits.
 */
export function splitStructure(node: Node, plan: (test: Node, leaf: TargetPlace) => TestPlan, report: Report): Split {
  const leaves: Record<string, TestPlan> = {};

  function walk(inner: Node, name: string, place: TargetPlace): Node {
    switch (inner.kind) {
      case "list":
        return { ...inner, items: inner.items.map((item, i) => walk(item, `${name}[${i}]`, below(place, i))) };
      case "map":
        return map(inner, place);
      case "scalar":
        report(shape.wrongType(name, "map or list", typeOfNode(inner), { hint: "a leaf is written { type: String }" }), inner.span);
        return { kind: "map", span: inner.span, entries: [anything(inner)] };
    }
  }

  function map(inner: MapNode, place: TargetPlace): Node {
    const type = entry(inner, "type");
    if (type?.value.kind === "scalar") return leaf(inner, type, place);
    return { ...inner, entries: inner.entries.map((one) => ({ ...one, value: walk(one.value, one.key, below(place, one.key)) })) };
  }

  function leaf(inner: MapNode, type: Entry, place: TargetPlace): Node {
    for (const { key, keySpan } of inner.entries) {
      if (key !== "type" && key !== "validate" && !key.startsWith("x-"))
        report(shape.unknownKey(key, "a leaf of verify_schema", nearest(key, ["validate"])), keySpan);
    }
    const test = get(inner, "validate");
    const sound = test === undefined || isNull(test) ? undefined : checkTest(test, report);
    if (sound !== undefined) leaves[place.path] = plan(sound, place);
    return { ...inner, entries: [known(type)] };
  }

  function known(type: Entry): Entry {
    const word = scalarText(type.value) ?? "Null";
    if (leafTypes.some((one) => one === word)) return type;
    report(codes.schemaType(word, nearest(word, leafTypes)), type.value.span);
    return anything(type.value);
  }

  const start: TargetPlace = { path: "", steps: [] };
  const entries = entriesOf(node).map((one) => (one.key === "structure" ? { ...one, value: walk(one.value, one.key, start) } : one));
  return { node: { kind: "map", span: node.span, entries }, leaves };
}

function below({ path, steps }: TargetPlace, step: Step): TargetPlace {
  return { path: typeof step === "number" ? elementPath(path, step) : memberPath(path, step), steps: [...steps, step] };
}

const anything = ({ span }: Node): Entry => ({
  key: "type",
  keySpan: span,
  value: { kind: "scalar", span, value: "Any", block: false, source: "Any" },
});
