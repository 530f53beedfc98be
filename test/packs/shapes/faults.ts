import { createHash } from "node:crypto";

/** A place in the text of a pack, and the text that makes it wrong. */
export interface Fault {
  readonly rule: string;
  readonly file: string;
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The pattern of the places of a rule, whose group `it` is what becomes something else. */
interface Rule {
  readonly name: string;
  readonly pattern: RegExp;
  readonly wrong: (it: string) => string;
  /** The origin of the value, as YAML writes it. Absent for a fault that does not depend on it. */
  readonly from?: (action: string, it: string) => boolean;
}

const member = /[A-Za-z_]\w{2,}/.source;

/** Sources of data whose members are known: literals, lists of columns, and the three members of an answer. */
const isLiteral = (action: string): boolean => /^ +json_output:(?: \{|$)/m.test(action);
const hasColumns = (action: string): boolean =>
  /^ +query:/m.test(action) && /\b(?:SELECT|RETURNING)\s/i.test(action) && !/\b(?:SELECT|RETURNING)\s+(?:\w+\.)?\*/i.test(action);
const isAnswer = (action: string): boolean => /^ +http:/m.test(action);
/** A test of the action names the member, so that it is known of any value. */
const isTested = (action: string, it: string): boolean => it.length > 3 && new RegExp(`- value: "?${it}"?$`, "m").test(action);
const isKnown = (action: string): boolean => isLiteral(action) || hasColumns(action);

/**
 * The faults that `check` is for, in data whose source says what they have; what callers send may have any member. The places follow from
 * these patterns and from a hash alone: nothing is known of what is found when they are chosen.
 */
const rules: readonly Rule[] = [
  {
    name: "member",
    pattern: new RegExp(`a\\|(?<of>[A-Z]\\w+)::(?:\\[\\d+\\]\\.)?(?<it>${member})(?=[|-])`, "g"),
    wrong: misspelt,
    from: isKnown,
  },
  { name: "tested member", pattern: new RegExp(`a\\|(?<of>[A-Z]\\w+)::(?<it>${member})(?=[|-])`, "g"), wrong: misspelt, from: isTested },
  { name: "filter", pattern: /->(?<it>[a-z_]{4,})(?=[(|-])/g, wrong: misspelt },
  { name: "answer", pattern: /a\|(?<of>[A-Z]\w+)::(?<it>status|headers|body)\b/g, wrong: misspelt, from: isAnswer },
  { name: "tested answer", pattern: /(?:value|extract_value): "?(?<it>status|headers|body)\b/g, wrong: misspelt, from: isAnswer },
  { name: "tested column", pattern: /value: "?\[0\]\.(?<it>\w+)/g, wrong: misspelt, from: hasColumns },
  {
    name: "kept key",
    pattern: new RegExp(`(?:keep|remove)_(?:attributes|keys):\\s*(?:\\[|- )"?(?<it>${member})`, "g"),
    wrong: misspelt,
    from: isKnown,
  },
  { name: "renamed key", pattern: new RegExp(`rename_keys:\\s*(?:\\{ )?"?(?<it>${member})"?:`, "g"), wrong: misspelt, from: isKnown },
  { name: "matcher", pattern: /value: "?status"?\s+(?<it>is_\w+: *\S+)/g, wrong: () => "is_array: true", from: isAnswer },
  { name: "address", pattern: /url: (?<it>"?https:\/\/[^\s?"]+[^\s?"|])(?="?\n)/g, wrong: (it) => `${it}?key=a|secret::LEAKED|` },
  { name: "log line", pattern: /msg: "?(?<it>[A-Za-z])/g, wrong: (it) => `a|secret::LEAKED->upper| ${it}` },
];

const wanted = 40;
const mostOfRule = 12;

/** Two letters in the middle change places. */
function misspelt(name: string): string {
  const i = [...name].findIndex((letter, at) => at > 0 && at < name.length - 1 && letter !== name[at + 1]);
  return i < 0 ? `${name}x` : `${name.slice(0, i)}${name[i + 1]}${name[i]}${name.slice(i + 2)}`;
}

/** The faults for a seed, from all files: as many of each rule as there are, up to a bound. */
export function faultsIn(files: ReadonlyMap<string, string>, seed: number): readonly Fault[] {
  const drawn = ({ file, start, rule }: Fault): string => createHash("sha256").update(`${seed} ${rule} ${file} ${start}`).digest("hex");
  const places = rules.flatMap((rule) => {
    const all = [...files].flatMap(([file, text]) => placesOf(rule, file, text));
    return all.sort((a, b) => (drawn(a) < drawn(b) ? -1 : 1)).slice(0, mostOfRule);
  });
  return places.sort((a, b) => (drawn(a) < drawn(b) ? -1 : 1)).slice(0, wanted);
}

function placesOf({ name, pattern, wrong, from }: Rule, file: string, text: string): readonly Fault[] {
  return [...text.matchAll(new RegExp(pattern, "gd"))].flatMap((match): readonly Fault[] => {
    const [start, end] = match.indices?.groups?.it ?? [0, 0];
    const isComment = text
      .slice(text.lastIndexOf("\n", start) + 1, start)
      .trimStart()
      .startsWith("#");
    const source = match.groups?.of === undefined ? actionAt(text, start) : actionNamed(text, match.groups.of);
    if (isComment || (from !== undefined && !from(source, text.slice(start, end)))) return [];
    return [{ rule: name, file, start, end, text: wrong(text.slice(start, end)) }];
  });
}

/** The text of the action around a place. */
function actionAt(text: string, place: number): string {
  const starts = [...text.matchAll(/^ *- name: .*$/gm)].map(({ index }) => index);
  return text.slice(starts.findLast((start) => start <= place) ?? 0, starts.find((start) => start > place) ?? text.length);
}

/** The text of the first action of that name; empty where transforms make other data of it. */
function actionNamed(text: string, name: string): string {
  const found = new RegExp(`^ *- name: "?${name}"?$`, "m").exec(text);
  const action = found === null ? "" : actionAt(text, found.index);
  // One row has the members of all rows.
  const [, transforms = ""] = action.split("post_transforms:");
  const isChanged = /^ +- (?!return_row:|extract_value: "?\[0\])\w+:/m.test(transforms);
  return isChanged ? "" : action;
}
