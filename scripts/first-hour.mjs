// `node scripts/first-hour.mjs [ARCHIVE]`: does the steps of a newcomer, from the packed archive in an empty home to an executable that
// answers, and writes the output and the duration of each step to docs/first-hour.md. Needs the npm registry. Without an archive it packs
// one first.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus, tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const page = join(root, "docs", "first-hour.md");
const folder = realpathSync(mkdtempSync(join(tmpdir(), "first-hour-")));
const [home, prefix, project] = ["home", "prefix", "notes"].map((name) => join(folder, name));
const { HTTPS_PROXY, https_proxy, NODE_EXTRA_CA_CERTS } = process.env;
const path = [join(prefix, "bin"), dirname(process.execPath), process.env.PATH].join(delimiter);
const author = {
  GIT_AUTHOR_NAME: "you",
  GIT_AUTHOR_EMAIL: "you@example.com",
  GIT_COMMITTER_NAME: "you",
  GIT_COMMITTER_EMAIL: "you@example.com",
};
const env = { HOME: home, PATH: path, HTTPS_PROXY, https_proxy, NODE_EXTRA_CA_CERTS, PIPEWRIGHT_ADMIN_BIND: "off", ...author };
const steps = [];

try {
  mkdirSync(home);
  const archive = process.argv[2] ?? packed();
  step("Install", folder, `npm install --global ${archive}`, { shown: `npm install --global ${archive.split("/").at(-1)}`, says: false });
  step("Begin", folder, "pipewright init notes", { lines: 2 });
  step("", project, "npm install", { says: false });
  execFileSync("git", ["init", "--quiet"], { cwd: project, env });
  execFileSync("git", ["add", "."], { cwd: project, env });
  execFileSync("git", ["commit", "--quiet", "--message", "begin"], { cwd: project, env });
  edit("method: POST", "mehtod: POST");
  step("Break it", project, "npm run --silent check", { status: 1 });
  edit("mehtod: POST", "method: POST");
  step("Correct it", project, "npm run --silent check");
  step("Test it", project, "npm test --silent");
  step("See what the tests cover", project, "npx pipewright test . --coverage", { lines: -3 });
  edit("regex: ^[1-9][0-9]?$", "regex: ^[1-9][0-9]{0,2}$");
  edit("SELECT id, title, created_at FROM notes", "SELECT id, title FROM notes");
  step("Change it, and see what the change means", project, "npx pipewright diff HEAD:. .", { status: 2 });
  step("Print it", project, "npm run --silent generate");
  step("Build it", project, "npm run --silent build");
  await served();
  writeFileSync(page, written());
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function packed() {
  const [{ filename }] = JSON.parse(execFileSync("npm", ["pack", "--json", "--pack-destination", folder], { cwd: root, encoding: "utf8" }));
  return join(folder, filename);
}

/** Runs a command as a newcomer types it; the shell's `time` measures it. */
function step(title, cwd, command, { status = 0, shown = command, says = true, lines } = {}) {
  const timed = `TIMEFORMAT='seconds %R %U %S'; time ${command.replace("--global", `--global --prefix ${prefix}`)}`;
  const ended = spawnSync("bash", ["-c", `exec 2>&1; ${timed}`], { cwd, env, encoding: "utf8", maxBuffer: 1 << 26 });
  const [, real, user, system] = /seconds ([\d.]+) ([\d.]+) ([\d.]+)\s*$/.exec(ended.stdout) ?? [];
  if (ended.status !== status) throw new Error(`${command} ended with ${ended.status}: ${ended.stdout}`);
  const output = ended.stdout.replace(/seconds [\d. ]+\n$/, "");
  note({ title, command: shown, wall: Number(real), processor: Number(user) + Number(system), output: says ? part(output, lines) : "" });
}

function note(taken) {
  steps.push(taken);
  console.log(`${taken.wall.toFixed(1).padStart(6)} s  ${taken.command}`);
}

/** The first `lines` lines of an output, or the last ones when the number is negative. */
function part(output, lines) {
  const all = output.replaceAll(`${project}/`, "").replaceAll(folder, "~").trimEnd().split("\n");
  if (lines === undefined || all.length <= Math.abs(lines)) return all.join("\n");
  return lines > 0 ? [...all.slice(0, lines), "…"].join("\n") : ["…", ...all.slice(lines)].join("\n");
}

function edit(from, to) {
  const file = join(project, "notes.yaml");
  const text = readFileSync(file, "utf8");
  if (!text.includes(from)) throw new Error(`notes.yaml has no '${from}'`);
  writeFileSync(
    file,
    text.replaceAll(from, () => to),
  );
}

/** Starts the executable without Node on its path, sends requests and ends it. The time from the start to the answer is noted. */
async function served() {
  const name = readdirSync(join(project, "dist")).find((file) => /-production-/.test(file)) ?? "";
  const flags = ["--vars", "vars/production.yaml", "--port", "0"];
  const began = performance.now();
  const service = spawn(join(project, "dist", name), flags, {
    cwd: project,
    env: { PIPEWRIGHT_ADMIN_BIND: "off" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    for await (const line of createInterface(service.stdout)) {
      const { url = "", msg } = JSON.parse(line);
      if (msg !== "listening") continue;
      const body = JSON.stringify({ title: "Groceries" });
      const address = `${url.replace("0.0.0.0", "127.0.0.1")}/notes`;
      const answer = await fetch(address, { method: "POST", headers: { "content-type": "application/json" }, body });
      const listed = await (await fetch(address)).text();
      const output = `HTTP ${answer.status}, then ${listed}`;
      note({
        title: "Run it, and send a request",
        command: `dist/${name} ${flags.slice(0, 2).join(" ")}`,
        wall: (performance.now() - began) / 1000,
        output,
      });
      break;
    }
  } finally {
    service.kill("SIGTERM");
  }
}

function bytesIn(place) {
  const files = readdirSync(place, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.map(({ parentPath, name }) => statSync(join(parentPath, name))).reduce((sum, { size }) => sum + size, 0);
}

function written() {
  const total = steps.reduce((sum, { wall }) => sum + wall, 0);
  const rows = steps.map(({ command, wall, processor }) => `| \`${command}\` | ${wall.toFixed(1)} | ${processor?.toFixed(1) ?? ""} |`);
  const shown = steps
    .filter(({ output }) => output !== "")
    .map(({ title, command, output }) => `## ${title}\n\n\`\`\`text\n$ ${command}\n${output}\n\`\`\`\n`);
  return `# The first hour

This page goes the whole way from the packed archive to an executable that answers, starting in an empty home, and shows what each command prints and how long it takes. \`node scripts/first-hour.mjs\` wrote it on ${new Date().toISOString().slice(0, 10)}, with Node ${process.versions.node}, on ${availableParallelism()} processors (${cpus()[0]?.model.trim() ?? "unknown"}) that other
programs used, too. The commands took **${total.toFixed(0)} seconds** together.

\`npm install\` and the first \`build\` download from the npm registry. ${(bytesIn(prefix) / 1e6).toFixed(0)} MB of files were installed; 53 MB of them are a program and an archive of the package recheck for other runtimes, which pipewright never runs.

| command | seconds | processor seconds |
|---|---|---|
${rows.join("\n")}

${shown.join("\n")}
Read next: [getting started](getting-started.md), [contract tests](testing.md), [reviews](reviewing.md), [deploying](deploying.md).
`;
}
