import { FileRefused, readRegular } from "../files/regular-file.ts";
import { Failure } from "../value/failure.ts";
import { codeOf } from "../value/thrown.ts";

const mostBytes = 1024 * 1024;

/**
 * The text of a file that holds a secret, without the line break at its end. The message does not name the file: it may come from a
 * variable.
 */
export async function secretFile(path: string): Promise<string> {
  try {
    const bytes = await readRegular(path, mostBytes);
    return bytes.toString("utf8").replace(/\r?\n$/, "");
  } catch (error) {
    if (error instanceof FileRefused) throw new Failure("evaluation", `its file cannot be read: ${error.message}`, { cause: error });
    const code = String(codeOf(error) ?? "no such file");
    throw new Failure("evaluation", `its file cannot be read (${code})`, { cause: error });
  }
}
