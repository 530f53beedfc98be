import { expect, test } from "vitest";
import { schemaCompiler } from "../../../runtime/languages/schema/compiler.ts";

// Formats of schemas that are our own, because those of ajv take too much or too little.

const right = {
  "date-time": [
    "2026-01-01T00:00:00Z",
    "2026-01-01t00:00:00.5z",
    "2026-01-01T00:00:59.99999999999999999999+01:00",
    "2016-12-31T23:59:60Z",
    "2016-12-31T23:59:60.5Z",
  ],
  time: ["00:00:00Z", "23:59:59.99999999999999999999-01:30"],
  duration: ["P1D", "P1Y", "P1Y2M3DT4H5M6S", "P1M3D", "PT1H", "PT1H2M", "PT2M3S", "PT1S", "P1W", "P1DT1S", "P0D"],
  uuid: ["2eb8aa08-AA98-11ea-b4aa-73b441d16380"],
};

const wrong = {
  "date-time": [
    ...["2026-01-01T00:00:00+01", "2026-01-01T00:00:00+0100", "2026-01-01T00:00:00", "2026-01-01T24:00:00Z", "2026-02-30T00:00:00Z"],
    ...["2026-01-01T00:00:00.Z", "2026-01-01T00:00:00.5.5Z", "2026.5-01-01T00:00:00Z", "2026-01-01T00:00:60Z", "2026-01-01T00:00:00+24:00"],
  ],
  time: ["00:00:00+01", "00:00:00", "00:00.5:00Z"],
  duration: ["", "P", "PT", "P1", "P1DT", "PT1H2S", "P1Y2D", "P1W1D", "P1Y1W", "P1D2H", "PT1D", "P1S", "1D", "P1,5D", "P১D", "P1D\n"],
  uuid: ["urn:uuid:2eb8aa08-aa98-11ea-b4aa-73b441d16380", "2eb8aa08aa9811eab4aa73b441d16380"],
};

test.each(Object.keys(right) as (keyof typeof right)[])("%s", (format) => {
  const validate = schemaCompiler({ format }).compile({ format });
  expect(right[format].filter((text) => !validate(text))).toEqual([]);
  expect(wrong[format].filter((text) => validate(text))).toEqual([]);
});
