/** Words for the codes with which the system refuses a file or a folder. */
const words: Readonly<Record<string, string>> = {
  EACCES: "permission is denied",
  EPERM: "it is not permitted",
  EROFS: "the file system is read-only",
  ENOSPC: "no space is left",
  EDQUOT: "the quota of the disk is used up",
  EFBIG: "the file becomes too large",
  EISDIR: "it is a folder",
  ENOTDIR: "a part of its path is a file",
  EEXIST: "a part of its path is a file",
  ENAMETOOLONG: "its name is too long",
  ELOOP: "its links lead in a circle",
  EMFILE: "too many files are open",
  ENFILE: "too many files are open",
  EBUSY: "it is in use",
  ETXTBSY: "it is a program that runs",
  EIO: "the disk has failed",
};

/**
 * Why the system refuses a file, in words; undefined for any other error. A missing file is left to the caller, which has words of its own
 * for it.
 */
export function refusal(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error) || typeof error.code !== "string") return undefined;
  return words[error.code];
}
