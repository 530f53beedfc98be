import type { Reporter, TestCase, TestModule } from "vitest/node";

/**
 * Prints the reason of a failed test at once, for runs that are ended before their summary. At the end it names the tests that passed only
 * at the second try, because they do not hold.
 */
export default class Failures implements Reporter {
  onTestCaseResult(test: TestCase): void {
    if (test.result().state === "failed") console.log(`${nameOf(test)}: ${firstError(test)}`);
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const flaky = modules.flatMap(({ children }) => [...children.allTests("passed")].filter((test) => test.diagnostic()?.flaky === true));
    if (flaky.length > 0) console.log("\npassed at the second try only:");
    for (const test of flaky) console.log(`${nameOf(test)}: ${firstError(test)}`);
  }
}

function nameOf({ module, fullName }: TestCase): string {
  return `${module.relativeModuleId} > ${fullName}`;
}

function firstError(test: TestCase): string {
  return test.result().errors?.[0]?.message ?? "no error is known";
}
