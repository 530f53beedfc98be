import { expect, test } from "vitest";
import { nearest, slipOf } from "../../../compiler/diagnostics/nearest.ts";

test.each([
  ["emial", ["email", "name"], "email"], // two letters swapped are one edit
  ["is_nul", ["is_not_null", "is_null"], "is_null"],
  ["extract_valeu", ["extract_value", "extract_array"], "extract_value"],
  ["FETCHUSER", ["FetchUser", "FetchPost"], "FetchUser"], // capitals alone are one edit
  ["body", ["Body", "bode"], "Body"],
  ["mane", ["name", "main"], "name"],
  ["abcdef", ["uvwxyz"], undefined],
  ["name", ["names_of_all"], undefined],
  ["x", ["to", "y"], undefined], // nothing of the name would be left
  ["ttl", ["url", "to"], undefined],
  ["ulr", ["url"], "url"],
  ["id", ["ID"], "ID"],
])("nearest of %s among %j", (name, known, expected) => {
  expect(nearest(name, known)).toBe(expected);
});

test("a name that is known is no suggestion for itself", () => {
  expect(nearest("name", ["name"])).toBeUndefined();
});

test("ties go to the first", () => {
  expect(nearest("bat", ["cat", "hat"])).toBe("cat");
});

test.each([
  ["usre_id", "user_id"],
  ["user_i", "user_id"],
  ["user_idd", "user_id"],
  ["sser_id", undefined],
  ["item", undefined],
  ["itmes", "items"],
  ["line2", undefined],
  ["line", undefined],
  ["tpye", "type"],
  ["dya", undefined],
  ["user_id", undefined],
])("%s is a slip of %s", (name, meant) => {
  expect(slipOf(name, ["user_id", "items", "line1", "type", "day"])).toBe(meant);
});
