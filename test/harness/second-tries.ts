import type { Reporter, TestModule } from "vitest/node";

/** Names the tests that passed at the second try only, with what the first one threw, so that nobody takes them for tests that hold. */
export default class SecondTries implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const lines = modules.flatMap(({ relativeModuleId, children }) =>
      Array.from(children.allTests("passed"))
        .filter((test) => test.diagnostic()?.flaky === true)
        .map((test) => `${relativeModuleId} > ${test.fullName}: ${test.result().errors?.[0]?.message ?? "no error was kept"}`),
    );
    if (lines.length > 0) console.log(`\npassed at the second try only:\n${lines.join("\n")}`);
  }
}
