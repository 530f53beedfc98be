import { member } from "../member.ts";
import { namesOf } from "../names.ts";
import { all, type Toucher } from "../touched.ts";

/** The channels that get the message. */
export const toucher: Toucher = (args, known) => all("channels", namesOf(member(args, "channels"), known));
