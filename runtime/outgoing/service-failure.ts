import { Failure } from "../value/failure.ts";

/** A failure of `http`, whose text names the service in the place of HTTP. Other failures stay as they are. */
export const withService = (service: string, failure: Failure): Failure =>
  failure.message.startsWith("http ")
    ? new Failure(failure.kind, failure.message.replace(/^http /, `${service}: `), failure.details)
    : failure;
