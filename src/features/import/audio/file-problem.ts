/** A file that cannot be read or has not the required form. The message is the reason for a rejection: `must be …`. */
export class FileProblem extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'FileProblem';
  }
}
