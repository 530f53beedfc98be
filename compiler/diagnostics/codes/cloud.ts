import { present } from "../../present.ts";
import { error } from "./code.ts";

/** Actions of the clouds and their credentials. */
export const cloud = {
  unknownCredential: error(
    "PW470",
    (name: string, map: string, near: string | undefined, known: readonly string[]) => ({
      message: `'global.${map}' has no entry '${name}'`,
      hint: near !== undefined ? `did you mean '${near}'?` : known.length === 0 ? `add it to global.${map}` : `it has ${known.join(", ")}`,
      ...present({ instead: near }),
    }),
    {
      means: "`credential` is the name of an entry of `global.aws_credentials`, or of `global.google_credentials` for `google`.",
      wrong: "aws: { credential: mian, list_objects: { bucket: reports } }",
      right: "aws: { credential: main, list_objects: { bucket: reports } }",
    },
  ),
  whichCredential: error(
    "PW471",
    (map: string, known: readonly string[]) => ({
      message: `'global.${map}' has several entries, and the action names none`,
      hint: `credential: ${known.join(" or ")}`,
    }),
    {
      means: "Without `credential` an action uses the only entry of the map. With several entries it must name one.",
      wrong: "aws: { list_objects: { bucket: reports } } # with two entries in global.aws_credentials",
      right: "aws: { credential: main, list_objects: { bucket: reports } }",
    },
  ),
  operation: error(
    "PW472",
    (action: string, operations: readonly string[]) => ({
      message: `${action} needs exactly one operation`,
      hint: `${operations.slice(0, -1).join(", ")} or ${operations.at(-1) ?? ""}`,
    }),
    {
      means: "An `aws` or `google` action does one operation; use a second action for another one.",
      wrong: "aws: { credential: main }",
      right: "aws: { credential: main, list_objects: { bucket: reports } }",
    },
  ),
};
