// `node scripts/record.mjs [--check]`: runs the commands of the first minutes in a project of its own and writes what a terminal shows to
// docs/images/first-minutes.svg, the picture of the README. Equal commands give equal bytes; `--check` writes nothing and ends with 2
// when the picture is not up to date.
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { main } from "../compiler/cli/main.ts";

const file = fileURLToPath(new URL("../docs/images/first-minutes.svg", import.meta.url));
const folder = realpathSync(mkdtempSync(join(tmpdir(), "record-")));
const screen = [];

try {
  await pipewright("init", "hello", "--template", "plain", "--pipewright", "0.1.0");
  edit("$EDITOR hello/hello.yaml", (text) => text.replace("params::name", "parms::name"));
  await pipewright("check", "hello");
  edit("$EDITOR hello/hello.yaml", (text) => text.replace("parms::name", "params::name"));
  await pipewright("check", "hello", "--strict");
  await pipewright("run", "hello", "hello", "--param", "name=you", "--force");
  await pipewright("routes", "hello");
} finally {
  rmSync(folder, { recursive: true, force: true });
}

const drawn = picture(screen);
if (!process.argv.includes("--check")) writeFileSync(file, drawn);
else if (readFileSync(file, "utf8") !== drawn) {
  console.error("docs/images/first-minutes.svg is not what the commands show: node scripts/record.mjs");
  process.exitCode = 2;
}

/** Runs a command as on a terminal with colours. */
async function pipewright(...args) {
  let output = "";
  const say = (text) => {
    output += text;
  };
  const colors = { out: true, err: true };
  await main(args, { cwd: folder, out: say, err: say, isTerminal: true, colors, env: {}, columns: 100 });
  show(`pipewright ${args.join(" ")}`.replace(" --pipewright 0.1.0", ""), output);
}

function edit(command, change) {
  const path = join(folder, "hello", "hello.yaml");
  writeFileSync(path, change(readFileSync(path, "utf8")));
  show(command, "");
}

function show(command, output) {
  screen.push(
    `\u001b[32m$\u001b[39m \u001b[1m${command}\u001b[22m`,
    ...output
      .trimEnd()
      .split("\n")
      .filter((line, i, all) => line !== "" || i < all.length - 1),
    "",
  );
}

/** The lines as SVG: one command after the other appears with its output, and stays. */
function picture(lines) {
  const [height, width] = [18, 8.2];
  const columns = Math.max(...lines.map((line) => plain(line).length));
  const size = { width: Math.ceil(columns * width) + 40, height: lines.length * height + 30 };
  let step = -1;
  const texts = lines.map((line, i) => {
    if (plain(line).startsWith("$ ")) step += 1;
    return `<text x="20" y="${30 + i * height}" class="s" style="animation-delay:${(step * 1.5).toFixed(1)}s">${spans(line)}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${size.width}" height="${size.height}" viewBox="0 0 ${size.width} ${size.height}" role="img" aria-label="A terminal: a project is made, a mistake found and mended, the project asked">
<style>
text { font: 13px ui-monospace, Menlo, Consolas, monospace; fill: #d4d4d4; white-space: pre }
.s { animation: show 0s both }
@keyframes show { from { visibility: hidden } to { visibility: visible } }
@media (prefers-reduced-motion: reduce) { .s { animation: none } }
.c1 { font-weight: bold } .c2 { opacity: .6 } .c31 { fill: #f48771 } .c32 { fill: #89d185 } .c33 { fill: #e2c08d } .c34 { fill: #75beff } .c36 { fill: #6fc3df } .c90 { fill: #8a8a8a }
</style>
<rect width="100%" height="100%" rx="8" fill="#1e1e1e"/>
${texts.join("\n")}
</svg>
`;
}

function plain(line) {
  return line.replaceAll(code(), "");
}

/** A pattern for the colour codes of a line. */
function code() {
  return new RegExp(`${String.fromCharCode(27)}\\[[\\d;]*m`, "g");
}

/** The colours of a line as SVG: an opening code begins a span, and a closing code ends all open spans. */
function spans(line) {
  let open = 0;
  const codes = line.match(code()) ?? [];
  const text = line.split(code()).flatMap((piece, i) => {
    const shown = piece.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
    return [shown, ...codes.slice(i, i + 1).map(span)];
  });
  return text.join("") + "</tspan>".repeat(open);

  function span(sequence) {
    const values = sequence.slice(2, -1);
    if (["", "0", "22", "39", "49"].includes(values)) {
      const ends = "</tspan>".repeat(open);
      open = 0;
      return ends;
    }
    open += 1;
    return `<tspan class="${values
      .split(";")
      .map((each) => `c${each}`)
      .join(" ")}">`;
  }
}
