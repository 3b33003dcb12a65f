import type { FastifyRequest } from 'fastify';
import { isEqual, type Session } from './sessions.ts';

/** A form that does not come from a page of this session. */
export class FormRefused extends Error {
  constructor() {
    super('The form is of an earlier session, and did nothing. Check it, and send it again.');
  }
}

/** A form that was refused: its page is shown again with what it contained. */
export interface RefusedForm {
  /** The path to which it was sent. */
  to: string;
  fields: URLSearchParams;
  problem: string;
  /** Set by the form of the page that shows the problem. */
  isShown: boolean;
}

/** What the forms of a page need of the session. */
export interface FormSession extends Pick<Session, 'csrf'> {
  refused?: RefusedForm;
}

/** The values of a form: those that were refused, otherwise those that the page gives. */
export class FormValues {
  readonly #fields: URLSearchParams | undefined;

  constructor(refused: RefusedForm | undefined) {
    this.#fields = refused?.fields;
  }

  text<T extends string | number | null>(name: string, otherwise: T): string | T {
    return this.#fields === undefined ? otherwise : (this.#fields.get(name) ?? '');
  }

  all(name: string, otherwise: readonly string[] = []): readonly string[] {
    return this.#fields?.getAll(name) ?? otherwise;
  }
}

/** The fields of a form; none for a request without a form. */
export function formOf({ body }: Pick<FastifyRequest, 'body'>): URLSearchParams {
  return body instanceof URLSearchParams ? body : new URLSearchParams();
}

/** Throws FormRefused unless the form has the token of the session. */
export function checkToken(form: URLSearchParams, { csrf }: Pick<Session, 'csrf'>): void {
  if (!isEqual(form.get('csrf') ?? '', csrf)) throw new FormRefused();
}
