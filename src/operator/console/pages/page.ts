import type { IncomingMessage } from 'node:http';
import type { Notice } from '../server/sessions.ts';
import type { FormSession } from './forms.ts';
import type { Html } from './html.ts';

/** A page of the console. */
export interface Page {
  title: string;
  main: Html;
  /** 200 by default. */
  status?: number;
  /** Why the form of the page was refused, unless the form itself says so. */
  problem?: string | Html;
}

/** Where the browser goes after a form. */
export interface Redirect {
  /** A path of the console. */
  to: string;
  notice?: Notice;
}

/** A file that the browser stores. */
export interface Download {
  name: string;
  type: string;
  body: string;
}

/** A request with a session. */
export interface ConsoleRequest {
  session: FormSession;
  params: Readonly<Record<string, string>>;
  query: URLSearchParams;
  /** The fields of the form; empty for a GET. Reading an upload adds its fields. */
  form: URLSearchParams;
  raw: IncomingMessage;
}

/** A page, or the target of a form. */
export interface ConsoleRoute {
  method: 'GET' | 'POST';
  path: string;
  handle(request: ConsoleRequest): Promise<Page | Redirect | Download> | Page | Redirect | Download;
  /** Whether the form has files. The handler reads the body and checks the token itself. */
  isUpload?: boolean;
}

/** Makes the route of a page. */
export function page(path: string, handle: ConsoleRoute['handle']): ConsoleRoute {
  return { method: 'GET', path, handle };
}

/** Makes the route of a form. */
export function action(
  path: string,
  handle: ConsoleRoute['handle'],
  options: Pick<ConsoleRoute, 'isUpload'> = {},
): ConsoleRoute {
  return { method: 'POST', path, handle, ...options };
}

/** Goes to a page that tells what was done. */
export function done(to: string, content: string | Html): Redirect {
  return { to, notice: { kind: 'done', content } };
}
