import type { Log, LogLevel } from "#runtime/process/host.ts";
import { visibleLine } from "#runtime/value/visible.ts";
import type { Terminal } from "../project.ts";
import { linked } from "./links.ts";

const levels: readonly LogLevel[] = ["trace", "debug", "info", "warn", "error", "critical"];

const colors: Readonly<Record<LogLevel, number>> = { trace: 90, debug: 90, info: 36, warn: 33, error: 31, critical: 31 };

type LogTerminal = Pick<Terminal, "out" | "colors"> & Partial<Pick<Terminal, "cwd" | "env">>;

/** Records of the log as lines for people: `12:34:56 info loaded version=1 configs=["t"] ms=12`. Stacks keep their lines. */
export function readableLog(terminal: LogTerminal, from: LogLevel = "info"): Log {
  const { out, cwd = ".", env = {} } = terminal;
  const isColored = terminal.colors.out;
  const paint = (color: number, text: string): string => (isColored ? `\u001b[${color}m${text}\u001b[39m` : text);
  return (level, msg, fields = {}) => {
    if (levels.indexOf(level) < levels.indexOf(from)) return;
    const { stack, ...rest } = fields;
    const time = new Date().toTimeString().slice(0, 8);
    const parts = Object.entries(rest).map(([name, value]) => {
      if (name === "at" && typeof value === "string") return `${paint(90, "at=")}${linked(value, { cwd, colors: terminal.colors, env })}`;
      const text = typeof value === "string" && /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value);
      return `${paint(90, `${visibleLine(name)}=`)}${visibleLine(text)}`;
    });
    const lines = typeof stack === "string" ? stack.split("\n").map((line) => `\n  ${visibleLine(line)}`) : [];
    out(`${[paint(90, time), paint(colors[level], level), visibleLine(msg), ...parts].join(" ")}${lines.join("")}\n`);
  };
}
