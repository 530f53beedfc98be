import { failed, planProject, status, type Terminal } from "./project.ts";
import { table } from "./table.ts";

/** Table of triggers: method, path, interface, file:line. */
export function routes(paths: readonly string[], { format }: { readonly format: "text" | "json" }, terminal: Terminal): number {
  const planned = planProject(paths, terminal);
  if (failed(planned, terminal)) return status.failed;
  const rows = planned.plans.flatMap((config) =>
    config.interfaces.map((target) => ({
      method: target.route === undefined ? "" : target.method,
      path: target.route ?? `(${target.output})`,
      ...(target.schedule === undefined ? {} : { schedule: target.schedule }),
      ...(target.ws === undefined ? {} : { ws: `/ws/<organisation>/<environment>/${target.name}` }),
      ...(target.mqtt === undefined ? {} : { mqtt: `<environment>/${target.name}/${target.mqtt}` }),
      interface: target.name,
      config: config.name,
      file: config.file,
      line: target.at === undefined ? 1 : planned.sources.lines(config.file).at(target.at.start).line,
    })),
  );
  if (format === "json") terminal.out(`${JSON.stringify({ routes: rows }, null, 2)}\n`);
  else
    terminal.out(
      table([
        ["METHOD", "PATH", "INTERFACE", "WHERE"],
        ...rows.flatMap(({ schedule, ws, mqtt, ...row }) => {
          const where = [row.interface, `${row.file}:${row.line}`];
          const others = [
            ...(schedule === undefined ? [] : [["schedule", `${schedule.cron} ${schedule.timezone ?? "UTC"}`, ...where]]),
            ...(ws === undefined ? [] : [["ws", ws, ...where]]),
            ...(mqtt === undefined ? [] : [["mqtt", mqtt, ...where]]),
          ];
          return row.method === "" && others.length > 0 ? others : [[row.method, row.path, ...where], ...others];
        }),
      ]),
    );
  return status.done;
}
