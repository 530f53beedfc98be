import { member } from "../member.ts";
import { namesOf } from "../names.ts";
import { all, type Toucher } from "../touched.ts";

/** The topics that get the message. */
export const toucher: Toucher = (args, known) => all("topics", namesOf(member(args, "topics"), known));
