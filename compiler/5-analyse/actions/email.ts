import { member } from "../capabilities/member.ts";
import type { Assessor } from "./assessor.ts";

/** `aws_ses` is static, so that a literal stands there. */
export const assessor: Assessor = (args) => {
  const word = member(args, "aws_ses");
  return { parts: word.op === "lit" && word.value === true ? ["ses"] : [] };
};
