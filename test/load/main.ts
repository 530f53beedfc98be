import { parseArgs } from "node:util";
import { drain } from "./drain.ts";
import { malformed } from "./malformed.ts";
import { mixed } from "./mixed.ts";

// Load on a service of this machine (issue of operations): `node test/load/main.ts mixed|drain|malformed`. Ends with 1 when a goal is
// missed.

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    connections: { type: "string", default: "10000" },
    seconds: { type: "string", default: "120" },
    rate: { type: "string", default: "1000" },
    workers: { type: "string", default: "1" },
    seed: { type: "string", default: "1" },
  },
});
const seconds = Number(values.seconds);

async function run(): Promise<boolean> {
  switch (positionals[0]) {
    case "mixed": {
      const { failures, ...found } = await mixed({ connections: Number(values.connections), seconds, rate: Number(values.rate) });
      console.log({ ...found, failures: failures.length, first: failures[0] });
      return failures.length === 0 && found.p99 < 100 && found.peakMiB < 700 && found.exit === 0;
    }
    case "drain": {
      const { lost, ...found } = await drain(64, ["--workers", values.workers]);
      console.log({ ...found, lost: lost.length, first: lost[0] });
      return lost.length === 0 && found.exit === 0;
    }
    case "malformed": {
      const { failures, ...found } = await malformed(seconds, Number(values.seed));
      console.log({ ...found, failures: failures.length, first: failures[0] });
      return failures.length === 0 && found.exit === 0;
    }
  }
  console.log("node test/load/main.ts mixed|drain|malformed [--connections N] [--seconds N] [--rate N] [--workers N] [--seed N]");
  return false;
}

process.exitCode = (await run()) ? 0 : 1;
