import { Failure } from "../value/failure.ts";

/** A failure of `http` with the name of the service in place of the word http. Other failures stay as they are. */
export const withService = (service: string, failure: Failure): Failure =>
  failure.message.startsWith("http ")
    ? new Failure(failure.kind, failure.message.replace(/^http /, `${service}: `), failure.details)
    : failure;
