/** Milliseconds that a server is given to renew a session. */
const patience = 5000;

/**
 * Calls `back` once, when the session of a connection has been renewed. False says that renewing has failed or takes too long, so that the
 * connection is not used again. The caller of the query does not wait for it.
 */
export function whenRenewed(renewing: Promise<void>, back: (isRenewed: boolean) => void): void {
  let isOver = false;
  const end = (isRenewed: boolean): void => {
    if (isOver) return;
    isOver = true;
    clearTimeout(late);
    back(isRenewed);
  };
  const late = setTimeout(() => end(false), patience);
  renewing.then(
    () => end(true),
    () => end(false),
  );
}
