/** Partitions of AWS whose services have a domain of their own, by the beginning of their regions. */
const domains: readonly (readonly [string, string])[] = [
  ["cn-", "amazonaws.com.cn"],
  ["eusc-", "amazonaws.eu"],
  ["us-iso-", "c2s.ic.gov"],
  ["us-isob-", "sc2s.sgov.gov"],
];

/** The domain of the services of a region. */
export const domainOf = (region: string): string => domains.find(([begin]) => region.startsWith(begin))?.[1] ?? "amazonaws.com";
