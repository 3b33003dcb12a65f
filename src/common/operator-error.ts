/**
 * A failure that only the operator can fix: an invalid setting, a full disk, a missing file.
 * The command line prints `message` as one line, without a stack, and exits with a non-zero code.
 */
export class OperatorError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'OperatorError';
  }
}
