import type { Expr } from "#runtime/plan/index.ts";
import type { Sources } from "../../4-plan/inference/provenance.ts";
import { member } from "./member.ts";
import { joined, nameOfPart, namesOf } from "./names.ts";
import { all, type Touched } from "./touched.ts";

/** The channel that a stream is forwarded to. */
export const channelOf = (stream: Expr, known: Sources): readonly Touched[] => {
  const channel = member(stream, "channel");
  return all("channels", channel.op === "text" ? [joined(channel.parts.map((part) => nameOfPart(part, known)))] : namesOf(channel, known));
};
