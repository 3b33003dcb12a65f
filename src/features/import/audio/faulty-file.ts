/** A file that has not the required form. The message says what it must be and what it is; it is the reason of a rejection. */
export class FaultyFile extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'FaultyFile';
  }
}
