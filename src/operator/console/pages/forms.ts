import type { FastifyRequest } from 'fastify';
import type { StaleVersion } from '../../../engines/change-log/stale-version.ts';
import { isEqual, type Session } from '../server/sessions.ts';

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
  /** Set if the page has changed since the operator loaded it. */
  conflict?: StaleVersion | undefined;
  /** Set by the form of the page that shows the problem. */
  isShown: boolean;
}

/** What the forms of a page need of the session. */
export interface FormSession extends Pick<Session, 'csrf'> {
  /** The `seq` of the last change before the page was read. Everything that the page shows has this version or a later one. */
  version: number;
  refused?: RefusedForm;
}

/** A field of a refused form. */
export interface ComparedField {
  name: string;
  stored: string;
  sent: string;
}

/** The values of a form: those that were refused, otherwise those that the page gives. */
export class FormValues {
  /** The fields of the refused form that were read so far. */
  readonly compared: ComparedField[] = [];
  readonly #fields: URLSearchParams | undefined;

  constructor(refused: RefusedForm | undefined) {
    this.#fields = refused?.fields;
  }

  text<T extends string | number | null>(name: string, otherwise: T): string | T {
    if (this.#fields === undefined) return otherwise;
    const sent = this.#fields.get(name) ?? '';
    this.compared.push({ name, stored: String(otherwise ?? ''), sent });
    return sent;
  }

  all(name: string, otherwise: readonly string[] = []): readonly string[] {
    if (this.#fields === undefined) return otherwise;
    const sent = this.#fields.getAll(name);
    this.compared.push({ name, stored: otherwise.join(', '), sent: sent.join(', ') });
    return sent;
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
