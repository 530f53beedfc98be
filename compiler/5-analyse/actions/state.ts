import { isUnset, member } from "../capabilities/member.ts";
import type { Assessor } from "./assessor.ts";

export const assessor: Assessor = (args) => ({ collides: !isUnset(member(args, "set", "expected_version")) });
