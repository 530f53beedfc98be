// Launch configurations of the type `pipewright`: the command for the terminal, and how the debugger of Node attaches to its process.

/** A launch configuration as the user writes it in `launch.json`; empty without that file. */
export interface LaunchConfiguration {
  readonly name?: string;
  readonly type?: string;
  readonly request?: string;
  /** Paths that are served: the whole folder when absent. */
  readonly paths?: readonly string[];
  readonly environment?: string;
  /** The port of the inspector, on this machine. */
  readonly port?: number;
  readonly [other: string]: unknown;
}

const usualPort = 9229;

const portOf = ({ port }: LaunchConfiguration): number =>
  typeof port === "number" && Number.isInteger(port) && port > 0 && port < 65_536 ? port : usualPort;

/** True when the extension starts the process; `attach` takes a running one. */
export const starts = ({ request = "launch" }: LaunchConfiguration): boolean => request !== "attach";

/** The arguments of the command that serves the project with an inspector. */
export function devArguments(configuration: LaunchConfiguration): readonly string[] {
  const { paths = ["."], environment = "" } = configuration;
  const port = portOf(configuration);
  return [
    "dev",
    ...paths,
    ...(environment === "" ? [] : ["--env", environment]),
    ...(port === usualPort ? ["--inspect"] : ["--inspect", String(port)]),
  ];
}

/** The configuration of the debugger of Node: the debugger tries until the process listens, and attaches again after a restart. */
export const attachment = (configuration: LaunchConfiguration) => ({
  name: configuration.name ?? "pipewright dev",
  type: "node",
  request: "attach",
  address: "127.0.0.1",
  port: portOf(configuration),
  restart: true,
  timeout: 30_000,
  skipFiles: ["<node_internals>/**", "**/node_modules/**"],
});
