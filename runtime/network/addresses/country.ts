/** The codes of ISO 3166-1 alpha-2 that are assigned, and XK, which databases of addresses use for Kosovo. */
const codes: ReadonlySet<string> = new Set(
  [
    "AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ CA CC CD CF",
    "CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH",
    "GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW",
    "KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG",
    "NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN",
    "SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT",
    "ZA ZM ZW",
    "XK",
  ]
    .join(" ")
    .split(" "),
);

/** The codes that people write by mistake, and the code that is meant. */
const corrections: Readonly<Record<string, readonly [code: string, country: string]>> = {
  UK: ["gb", "the United Kingdom"],
  EL: ["gr", "Greece"],
  EN: ["gb", "England, a part of the United Kingdom,"],
  SU: ["ru", "Russia"],
  YU: ["rs", "Serbia"],
  TP: ["tl", "Timor-Leste"],
  ZR: ["cd", "the Democratic Republic of the Congo"],
  BU: ["mm", "Myanmar"],
};

/** Says what is wrong with the code of a country; undefined when nothing is. */
export function countryProblem(text: string): string | undefined {
  const code = text.trim().toUpperCase();
  if (codes.has(code)) return undefined;
  const [right, country] = (Object.hasOwn(corrections, code) ? corrections[code] : undefined) ?? [];
  return `'${text}' is no ISO 3166 code${right === undefined ? "" : `; ${country} is '${right}'`}`;
}
