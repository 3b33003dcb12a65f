import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import type { AppContext } from '../../../app/open/context.ts';
import { StaleVersion } from '../../../engines/change-log/change-log.ts';
import type { FileResponse } from '../../../engines/http/response/representation.ts';
import type { Role } from '../../../features/access/operator.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { MetricsHistory } from '../sections/metrics-history.ts';
import { isEqual, type Notice, type Session } from '../server/sessions.ts';
import type { Html } from './html.ts';

export interface Page {
  title: string;
  main: Html;
  /** 200 by default. */
  status?: number;
  /** Why the form of the page was refused, unless the form itself says so. */
  problem?: string | Html;
}

export interface Redirect {
  to: string;
  notice?: Notice;
}

export interface Download {
  name: string;
  type: string;
  body: string | Buffer | Readable;
}

/** A response of the media store: whole, a range, or not modified. */
export interface FileAnswer {
  file: FileResponse;
}

export type ConsoleAnswer = Page | Redirect | Download | FileAnswer;

export interface ConsoleDependencies {
  /** In a request, with the operator as the actor of changes. */
  context: AppContext;
  history: MetricsHistory;
  jobs: Jobs;
}

export interface ConsoleRequest extends ConsoleDependencies {
  session: FormSession;
  params: Readonly<Record<string, string>>;
  query: URLSearchParams;
  /** The fields of the form; empty for a GET. Reading an upload adds its fields. */
  form: URLSearchParams;
  raw: IncomingMessage;
}

export interface ConsoleRoute {
  method: 'GET' | 'POST';
  path: string;
  handle(request: ConsoleRequest): Promise<ConsoleAnswer> | ConsoleAnswer;
  /** Whether the form has files. The handler reads the body and checks the token itself. */
  isUpload?: boolean;
}

export function page(path: string, handle: ConsoleRoute['handle']): ConsoleRoute {
  return { method: 'GET', path, handle };
}

export function action(
  path: string,
  handle: ConsoleRoute['handle'],
  options: Pick<ConsoleRoute, 'isUpload'> = {},
): ConsoleRoute {
  return { method: 'POST', path, handle, ...options };
}

/** Goes to a page that shows what was done. */
export function done(to: string, content: string | Html): Redirect {
  return { to, notice: { kind: 'done', content } };
}

/**
 * Makes the route of a form that changes what its page shows. The context of its request writes only what has not changed
 * since the page was read (`asShown`).
 */
export function edit(path: string, handle: ConsoleRoute['handle']): ConsoleRoute {
  return action(path, (request) => handle({ ...request, context: asShown(request) }));
}

/**
 * Returns a context whose stores write only what has not changed since the page of the form was read. Throws StaleVersion
 * if the form does not say which version that was; the stores throw it if there is a later one.
 */
export function asShown({ context, form, session }: ConsoleRequest): AppContext {
  const given = form.get('version') ?? '';
  const version = /^\d{1,15}$/.test(given) ? Number(given) : Number.POSITIVE_INFINITY;
  if (version > session.version) {
    throw new StaleVersion(
      'The form does not say which version its page showed, so nothing was saved.',
    );
  }
  return { ...context, store: { ...context.store, ...context.store.unchangedSince(version) } };
}

/** A form that does not come from a page of this session. */
export class FormRefused extends Error {
  constructor() {
    super('The form is of an earlier session, and did nothing. Check it, and send it again.');
  }
}

/** A request for which somebody's role does not suffice. */
export class RoleRefused extends Error {
  constructor(role: Role, least: Role) {
    super(`Your role is ${role}: this needs the role ${least}. Ask an owner.`);
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

export interface FormSession extends Pick<Session, 'csrf' | 'role'> {
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

/** The values that a form shows: those of the refused form, otherwise those that the page gives. */
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

/** Empty for a request without a form. */
export function formOf({ body }: Pick<FastifyRequest, 'body'>): URLSearchParams {
  return body instanceof URLSearchParams ? body : new URLSearchParams();
}

/** Throws FormRefused unless the form has the token of the session. */
export function checkToken(form: URLSearchParams, { csrf }: Pick<Session, 'csrf'>): void {
  if (!isEqual(form.get('csrf') ?? '', csrf)) throw new FormRefused();
}
