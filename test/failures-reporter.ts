import type { Reporter, TestCase, TestModule } from "vitest/node";

/**
 * Says why a test has failed as soon as it has, for runs that are ended before their summary. The end names the tests that passed at the
 * second try only, so that nobody takes them for tests that hold.
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
