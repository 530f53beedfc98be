import { error } from "./code.ts";

/** 695 to 699: MQTT topics that run interfaces (spec/surfaces 4). */
export const mqtt = {
  marker: error(
    "PW695",
    (text: string) => ({ message: `'${text}' is no part of an MQTT topic`, hint: "levels with / between them, without + and #" }),
    {
      means:
        "The value of `mqtt` is the last part of the topic whose messages run the interface: `<environment>/<interface>/<this>`. It has at least one level, none of them empty, and no wildcards: these are for subscribers.",
      wrong: 'mqtt: "+"',
      right: "mqtt: reading",
    },
  ),
  topicTwice: error(
    "PW696",
    (topic: string, other: string) => ({
      message: `the topic <environment>/${topic} runs '${other}' already`,
      hint: "choose another 'mqtt' or name",
    }),
    {
      means:
        "A message runs one interface. Two of them must not have the same topic, in one configuration or in several that are built together: `a/b` with `mqtt: c` has the topic of `a` with `mqtt: b/c`.",
      wrong: "a: { mqtt: b/c, actions: [] }\na/b: { mqtt: c, actions: [] }",
      right: "a: { mqtt: b/c, actions: [] }\na/b: { mqtt: d, actions: [] }",
    },
  ),
};
