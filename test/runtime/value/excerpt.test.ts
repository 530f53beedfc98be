import { expect, test } from "vitest";
import { Redactor } from "#runtime/value/redact.ts";
import { milliseconds } from "#runtime/value/values.ts";

test("a long secret in the place of a duration is hidden in the error, which has only its beginning", () => {
  const secret = `CANARYL0NG${"{[QWERTY".repeat(45)}`;
  const redactor = new Redactor();
  redactor.add("secret L", secret);
  let message = "";
  try {
    milliseconds(secret, "timeout");
  } catch (error) {
    message = redactor.failure(String(error));
  }
  expect(message).toContain("field timeout: expected duration, got '***...'");
});
