import type { FastifyInstance } from 'fastify';
import { OperatorError, StaveError } from '../../../common/errors.ts';
import type { TrustedProxies } from '../../../engines/http/connection/trusted-proxies.ts';
import { answer, isRefusal, problemOf, statusOf } from '../pages/answers.ts';
import { type Html, html } from '../pages/html.ts';
import { csrfField } from '../pages/layout.ts';
import { checkToken, done, formOf, type Page } from '../pages/page.ts';
import { card, field, heading } from '../pages/parts.ts';
import type { Guard } from './guard.ts';
import { type Login, newPasswordFields } from './login.ts';
import { leastRole } from './roles.ts';
import type { Session, Sessions } from './sessions.ts';

const OWN_PASSWORD = '/password';

interface Dependencies {
  login: Login;
  proxies: TrustedProxies;
  guard: Guard;
  sessions: Sessions;
  maxBytes: number;
}

/** Adds the page on which an operator changes the own password. Whom a proxy has signed in needs none, and gets 404. */
export function addOwnPassword(app: FastifyInstance, deps: Dependencies): void {
  const { guard, sessions } = deps;
  const optionsOf = (method: string) => ({ config: { least: leastRole(method, OWN_PASSWORD) } });
  app.get(OWN_PASSWORD, optionsOf('GET'), (request, reply) => {
    const session = sessionWithPassword(request.session!);
    return answer(passwordPage(session), { request, reply, session });
  });
  const options = { ...optionsOf('POST'), bodyLimit: deps.maxBytes };
  app.post(OWN_PASSWORD, options, async (request, reply) => {
    const session = sessionWithPassword(request.session!);
    try {
      const form = formOf(request);
      checkToken(form, session);
      const network = deps.proxies.callerOfRequest(request.raw);
      const operator = await changed(deps.login, { session, form, network });
      // The new password has ended this session, too.
      const { session: next, cookie } = sessions.start(operator);
      reply.header('Set-Cookie', guard.cookies.write(request, cookie));
      const text = 'Your password is changed. Your other sessions are ended.';
      return answer(done('/', text), { request, reply, session: next });
    } catch (error) {
      if (!isRefusal(error)) throw error;
      if (error instanceof StaveError) reply.headers(error.headers);
      const problem = problemOf(error);
      request.refusal = { problem };
      const part = error instanceof OperatorError ? 'new' : 'current';
      const page = passwordPage(session, { [part]: problem });
      const title = `Error: ${page.title}`;
      return answer({ ...page, title, status: statusOf(error) }, { request, reply, session });
    }
  });
}

function sessionWithPassword(session: Session): Session {
  if (!session.isOfProxy) return session;
  throw new StaveError('not_found', 'The proxy has signed you in: you need no password here.');
}

/** Throws what the page shows. */
async function changed(
  login: Login,
  { session, form, network }: { session: Session; form: URLSearchParams; network: string },
) {
  const [current, next] = [form.get('current') ?? '', form.get('password') ?? ''];
  if (form.get('again') !== next) throw new OperatorError('the two new passwords differ');
  if (current === next) throw new OperatorError('the new password is the current one');
  const checked = await login.check({ name: session.name, password: current }, network);
  if (!('status' in checked)) return login.changePassword(checked.operator, next);
  const { error, problem, retryAfter } = checked;
  if (error === 'wrong_password') {
    throw new StaveError('forbidden', 'The current password is wrong.');
  }
  throw new StaveError(error, problem, { headers: { 'Retry-After': String(retryAfter) } });
}

/** @param problems why a form was refused, by the part of it */
function passwordPage(session: Session, problems: { current?: string; new?: string } = {}): Page {
  const { current: problem } = problems;
  const wrong = problem !== undefined && html` aria-invalid="true" aria-describedby="wrong"`;
  const input = html`<input id="current" name="current" type="password" autocomplete="current-password" required maxlength="1024" autofocus${wrong}>`;
  const form = html`<form method="post" action="${OWN_PASSWORD}" class="stack">
${csrfField(session)}
<input type="text" name="name" value="${session.name}" autocomplete="username" hidden>
${field('Current password', input)}
${problem !== undefined && html`<p id="wrong" class="problem-text" role="alert">${problem}</p>`}
${newPasswordFields(problems.new)}
<button class="primary">Change the password</button>
</form>`;
  const main: Html = html`${heading('Your password')}${card('Change it', form)}
<p class="empty">This ends your sessions in other browsers.</p>`;
  return { title: 'Your password', main };
}
