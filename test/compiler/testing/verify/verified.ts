import { type Mutate, type VerifyFlags, verify } from "../../../../compiler/cli/verify.ts";
import { sharedRuntime } from "../../../harness/terminal.ts";
import type { Project } from "../project.ts";

/** Changes a text in the plans that are walked. */
export const saying =
  (from: string, to: string): Mutate =>
  (plans) =>
    plans.map((plan) => ({
      ...plan,
      interfaces: plan.interfaces.map((target) => ({ ...target, actions: JSON.parse(JSON.stringify(target.actions).replace(from, to)) })),
    }));

/** Runs `pipewright verify` in a project. */
export async function verified(project: Project, flags: Partial<VerifyFlags>, mutate?: Mutate) {
  const said = { out: "", err: "" };
  const say = (where: "out" | "err") => (text: string) => {
    said[where] += text;
  };
  const terminal = {
    cwd: project.folder,
    isTerminal: false,
    colors: { out: false, err: false },
    env: {},
    runtime: sharedRuntime,
    out: say("out"),
    err: say("err"),
  };
  const status = await verify(["."], { format: "text", runs: "30", seed: "5", ...flags }, terminal, mutate);
  return { status, ...said };
}
