import { spawnSync } from "node:child_process";

/** Runs a program; when the program fails, this script ends with its status. Returns the text of its stdout when `stdout` is `pipe`. */
export function run(program, args, { cwd, stdout = "inherit" } = {}) {
  const shell = process.platform === "win32" && program === "npm";
  const { status, stdout: text } = spawnSync(program, args, { cwd, stdio: ["ignore", stdout, "inherit"], encoding: "utf8", shell });
  if (status !== 0) process.exit(status ?? 1);
  return text;
}
