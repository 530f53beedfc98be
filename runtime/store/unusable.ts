/** A store that must not be used as it is, whoever asks again: the message says what to do. */
export class Unusable extends Error {
  override readonly name = "Unusable";
}
