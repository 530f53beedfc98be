#!/usr/bin/env node
// Starts the command on the Node that the project is pinned to: the running one when it is new enough, else the one that npm installed beside it.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

const [major] = process.versions.node.split(".").map(Number);
const built = fileURLToPath(new URL("../dist/cli.mjs", import.meta.url));
const source = fileURLToPath(new URL("../compiler/cli/main.ts", import.meta.url));

if (major >= 24) {
  const { main } = await import(existsSync(built) ? built : source);
  process.exitCode = await main(process.argv.slice(2));
} else {
  const pinned = pinnedNode();
  if (pinned === undefined) {
    console.error(`pipewright needs Node 24 or newer, this is ${process.version}. Install it, or run: npm install --include=optional`);
    process.exitCode = 78;
  } else {
    const { status, signal } = spawnSync(pinned, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: "inherit" });
    process.exitCode = signal === null ? (status ?? 70) : 128 + (signal === "SIGINT" ? 2 : 15);
  }
}

function pinnedNode() {
  const os = process.platform === "win32" ? "win" : process.platform;
  try {
    return createRequire(import.meta.url).resolve(`node-${os}-${process.arch}/bin/node${os === "win" ? ".exe" : ""}`);
  } catch {
    return undefined;
  }
}
