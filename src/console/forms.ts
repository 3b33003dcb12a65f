/** A form that does not come from a page of this session. */
export class FormRefused extends Error {
  constructor() {
    super('The form is of another session: go back, load the page again and repeat it.');
  }
}
