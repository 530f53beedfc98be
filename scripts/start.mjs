// `npm start`: makes a project of the starter template, compiles it to an executable and serves it. Further arguments go to the executable
// (`npm start -- --port 8080`). The project stays in dist/notes, so that a second start serves what was edited in between.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join, relative } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const command = join(root, "bin", "pipewright.mjs");
const project = join(root, "dist", "notes");
const flags = ["--vars", "vars/development.yaml", "--address", "127.0.0.1", ...process.argv.slice(2)];

if (!existsSync(project)) pipewright(root, "init", relative(root, project), "--template", "http-sqlite");
pipewright(project, "check", ".");
pipewright(project, "generate", ".");
if (hasExecutables()) {
  pipewright(project, "build", ".", "--env", "development");
  serve(join("dist", executable()), flags);
} else {
  serve(process.execPath, [command, "serve", ".", "--env", "development", ...flags]);
}

/**
 * Runs a command as a user would; when the command fails, this script ends with its status. The output of `init` is left out, since its
 * next steps are done here.
 */
function pipewright(cwd, ...args) {
  console.log(`\n$ pipewright ${args.join(" ")}`);
  const stdio = ["inherit", args[0] === "init" ? "ignore" : "inherit", "inherit"];
  const { status } = spawnSync(process.execPath, [command, ...args], { cwd, stdio });
  if (status !== 0) process.exit(status ?? 1);
}

function hasExecutables() {
  const platform = process.platform === "win32" ? "win" : process.platform;
  return ["linux-x64", "linux-arm64", "win-x64"].includes(`${platform}-${process.arch}`);
}

function executable() {
  return readdirSync(join(project, "dist")).find((name) => /-development-[^.]*(\.exe)?$/.test(name)) ?? "";
}

/** Passes the service's output on, and says how to call it when it listens. */
function serve(program, args) {
  console.log(`\n$ ${[program, ...args].join(" ")}`);
  const served = spawn(program === process.execPath ? program : join(project, program), args, {
    cwd: project,
    stdio: ["ignore", "pipe", "inherit"],
  });
  createInterface({ input: served.stdout }).on("line", (line) => {
    console.log(line);
    const [, url] = /"url":"([^"]+)".*"msg":"listening"/.exec(line) ?? [];
    if (url !== undefined) invite(url);
  });
  // The terminal sends Ctrl-C to the service, too; this script only waits for the service to end.
  process.on("SIGINT", () => undefined);
  process.on("SIGTERM", () => served.kill());
  served.on("exit", (status) => process.exit(status ?? 1));
  // A signal to npm ends only the shell between npm and this process, so that a new parent id tells this script to end the service.
  const parent = process.ppid;
  setInterval(() => process.ppid === parent || served.kill(), 500);
}

function invite(url) {
  console.log(`
Ready. In another terminal:
  curl -i ${url}/notes -H 'content-type: application/json' -d '{"title": "Groceries", "text": "Bread"}'
  curl ${url}/notes

The configuration is ${relative(process.cwd(), join(project, "notes.yaml"))}. Ctrl-C ends the service.
`);
}
