import { devBase, jsonHeaders, Refused, reasonOf } from "./api.ts";

// Requests that only `dev` answers.

/** The change that the last save has made in the module of a configuration. */
export interface ModuleChange {
  readonly file: string;
  readonly added: number;
  readonly removed: number;
  readonly lines: readonly { readonly kind: "added" | "removed" | "same" | "gap"; readonly text: string }[];
  readonly hidden?: string;
}

export interface TestsRun {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly share: number;
  readonly failures: readonly { readonly name: string; readonly interface: string; readonly text: string }[];
  readonly problem?: string;
}

/** The coverage of an interface by the tests. */
export interface Covered {
  readonly isStale: boolean;
  readonly share: number;
  readonly lines: readonly { readonly line: number; readonly state: "all" | "part" | "none"; readonly missing: readonly string[] }[];
  readonly actions: Readonly<Record<string, number>>;
}

async function asked(path: string, sent: RequestInit = {}): Promise<Response> {
  const response = await fetch(`${devBase}${path}`, { ...sent, cache: "no-store" }).catch(() => {
    throw new Refused(0, "The service does not answer.");
  });
  if (!response.ok) throw new Refused(response.status, await reasonOf(response));
  return response;
}

export const readChanges = async (): Promise<readonly ModuleChange[]> =>
  ((await (await asked("/changes")).json()) as { modules: ModuleChange[] }).modules;

export const readCoverage = async (config: string, target: string): Promise<Covered | null> =>
  ((await (await asked(`/coverage?${new URLSearchParams({ config, interface: target })}`)).json()) as { covered: Covered | null }).covered;

/** Runs all tests of the project. */
export const askTests = async (): Promise<TestsRun> =>
  (await asked("/tests", { method: "POST", headers: jsonHeaders(), body: "null" })).json();
