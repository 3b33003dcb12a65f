/** A reader throws this if a value is not in the form that the mapping names. */
export class CellProblem extends Error {
  /** The member or column of the supplier. */
  readonly field: string;

  constructor(field: string, message: string) {
    super(message);
    this.name = 'CellProblem';
    this.field = field;
  }
}
