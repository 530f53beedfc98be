import type { ConsoleFacts, InterfaceFacts, MapFacts, NodeFacts, WarningFacts } from "#runtime/console/facts.ts";
import type { AnalysedInterface, AnalysedPlan } from "../5-analyse/analysed.ts";
import { entrancesOf } from "../5-analyse/entrances.ts";
import type { PrintedModule } from "../6-print/index.ts";
import { transforms } from "../diagnostics/codes/transforms.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import type { Sources } from "../diagnostics/position.ts";
import { type ActionNode, graphOf, readsOf } from "../explain/graph.ts";
import { type Pairs, pairing } from "../explain/pairs.ts";
import { callersOf, entranceText, policyOf, touchLines } from "../explain/text.ts";
import { present } from "../present.ts";

/** The parts of a compiled project that the console shows. */
export interface ShownProject {
  readonly plans: readonly AnalysedPlan[];
  readonly sources: Sources;
  readonly diagnostics: readonly Diagnostic[];
  readonly modules: readonly PrintedModule[];
}

/** All facts about interfaces that the console shows before they run, in the order of the configurations. */
export function consoleFacts({ plans, sources, diagnostics, modules }: ShownProject): ConsoleFacts {
  const byFile = Map.groupBy(diagnostics, ({ at }) => at.file);
  const pages = plans.flatMap((config) => {
    const module = modules.find(({ file }) => file === config.file);
    const pairs = module === undefined ? undefined : pairing(module, sources.lines(config.file));
    const diagnosed = byFile.get(config.file) ?? [];
    return config.interfaces.map((plan) => pageOf(plan, config, sources, diagnosed, pairs?.(plan.name)));
  });
  return { map: pages.map(entryOf), pages: pages.map((page) => JSON.stringify(page)) };
}

function pageOf(
  plan: AnalysedInterface,
  config: AnalysedPlan,
  sources: Sources,
  diagnosed: readonly Diagnostic[],
  pairs: Pairs | undefined,
): InterfaceFacts {
  const lines = sources.lines(config.file);
  const line = plan.at === undefined ? 1 : lines.at(plan.at.start).line;
  const { first = line, last = line, code = [] } = pairs ?? {};
  const own = diagnosed.flatMap((each): readonly WarningFacts[] => {
    const at = lines.at(each.at.start).line;
    return at < first || at > last ? [] : [warningOf(each, at)];
  });
  // A secret that is written in the YAML is also in the module. The sources hide it, but the module does not, so the module is not shown.
  const isOpen = !own.some(({ code: number }) => number === transforms.literalSecret.code);
  const nodes = graphOf(plan, config, sources);
  const { input, output, params, input_example } = plan.contract;
  return {
    config: config.name,
    interface: plan.name,
    file: config.file,
    line,
    ...(plan.about?.summary === undefined ? {} : { summary: plan.about.summary }),
    reached: entrancesOf(plan).map((entrance) => ({ kind: entrance.kind, text: entranceText(entrance) })),
    callers: callersOf(plan),
    policy: policyOf(plan, config),
    touches: touchLines(plan, config).map(([kind, text]) => `${kind} ${text}`),
    contract: { input: input !== undefined || params !== undefined, output: output !== undefined },
    warnings: own.length,
    nodes: nodes.map((node) => nodeOf(node, sources)),
    yaml: { first, lines: Array.from({ length: last - first + 1 }, (_, i) => lines.line(first + i)) },
    code: isOpen ? code.map(({ text, origin }) => ({ text, line: origin })) : [],
    schemas: {
      ...present({ input, output, params, input_example }),
    },
    needs: needsOf(plan, nodes),
    diagnostics: own,
  };
}

const entryOf = ({ nodes, yaml, code, schemas, needs, diagnostics, ...entry }: InterfaceFacts): MapFacts => entry;

const warningOf = ({ code, severity, message, hint }: Diagnostic, line: number): WarningFacts => ({
  code,
  severity,
  message,
  ...present({ hint }),
  line,
});

function nodeOf({ at, inside, ...node }: ActionNode, sources: Sources): NodeFacts {
  const line = at === undefined ? 0 : sources.lines(at.file).at(at.start).line;
  return { ...node, line, inside: inside.map((each) => nodeOf(each, sources)) };
}

/** The names of settings from outside that the interface reads. */
function needsOf(plan: AnalysedInterface, nodes: readonly ActionNode[]): InterfaceFacts["needs"] {
  const { params, response, assert, accepts } = plan;
  const roots = new Set([...nodes.flatMap(everyRead), ...readsOf([params, response, assert, accepts])]);
  const namesOf = (root: string): readonly string[] =>
    [...roots].flatMap((read) => (read.startsWith(`${root}::`) ? [read.slice(root.length + 2)] : [])).sort();
  return { env: namesOf("env"), vars: [...new Set([...namesOf("var"), ...namesOf("ap_var")])].sort(), secrets: namesOf("secret") };
}

const everyRead = ({ reads, inside }: ActionNode): readonly string[] => [...reads, ...inside.flatMap(everyRead)];
