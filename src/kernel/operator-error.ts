/**
 * Something only the operator can mend: a bad setting, a full disk, a file that is not there.
 * The command line prints `message` as its one line, without a stack, and exits non-zero.
 */
export class OperatorError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'OperatorError';
  }
}
