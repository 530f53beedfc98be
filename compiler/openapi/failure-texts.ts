/**
 * The usual reason of a status. An author may use a status for another failure, so none of these texts states a cause that only the
 * interface knows.
 */
const texts: Readonly<Record<number, string>> = {
  400: "The parameters or the body cannot be read, or are not what the interface takes.",
  401: "The credential is missing or not valid.",
  403: "The caller may not do this.",
  404: "What is asked for does not exist.",
  405: "The interface does not take this method.",
  408: "The request has taken too long to arrive.",
  409: "The request contradicts the present state.",
  410: "What is asked for does not exist any more.",
  412: "A condition of the request does not hold.",
  413: "The body is too large.",
  415: "The type of the body is not one that can be read.",
  422: "The content of the request is not what the interface accepts.",
  429: "There are too many requests. Try again later.",
  500: "An action of the interface has failed.",
  501: "The service cannot do this.",
  502: "A service behind the interface has failed.",
  503: "The service cannot answer at the moment. Try again later.",
  504: "The interface has taken too long.",
  508: "The request goes around in a circle of services.",
};

/** The reason for an answer with this status, for a caller. It reveals nothing about the work of the interface. */
export const failureText = (code: number): string =>
  texts[code] ?? (code < 500 ? "The interface has refused the request." : "The interface could not do its work.");
