/** Reason codes of MQTT 5 (2.4) that the broker gives. From 0x80 on they are failures. */
export const reasons = {
  success: 0x00,
  noMatchingSubscribers: 0x10,
  noSubscription: 0x11,
  unspecified: 0x80,
  malformed: 0x81,
  protocolError: 0x82,
  unsupportedVersion: 0x84,
  badClientId: 0x85,
  badCredentials: 0x86,
  notAuthorized: 0x87,
  serverUnavailable: 0x88,
  serverBusy: 0x89,
  shuttingDown: 0x8b,
  badAuthenticationMethod: 0x8c,
  keepAliveTimeout: 0x8d,
  takenOver: 0x8e,
  badTopic: 0x90,
  packetIdNotFound: 0x92,
  receiveMaximumExceeded: 0x93,
  badTopicAlias: 0x94,
  packetTooLarge: 0x95,
  quotaExceeded: 0x97,
} as const;

export type Reason = (typeof reasons)[keyof typeof reasons];

/** The return code of a CONNACK of MQTT 3.1.1 (table 3.1) for a reason. */
export function returnCode(reason: Reason): number {
  switch (reason) {
    case reasons.success:
      return 0;
    case reasons.unsupportedVersion:
      return 1;
    case reasons.badClientId:
      return 2;
    case reasons.serverUnavailable:
    case reasons.serverBusy:
    case reasons.shuttingDown:
    case reasons.quotaExceeded:
      return 3;
    case reasons.badCredentials:
      return 4;
    default:
      return 5;
  }
}

/** A client's violation of the protocol, which ends its connection, with the reason for a client of MQTT 5. */
export class Violation extends Error {
  override readonly name = "Violation";
  readonly reason: Reason;

  constructor(reason: Reason, message: string) {
    super(message);
    this.reason = reason;
  }
}
