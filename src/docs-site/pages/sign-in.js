// Signs in with the link whose token is the fragment of the address. Programs that preview links open the page, so only
// the click of a person uses the link.

const [token] = location.hash.slice(1).split('&', 1);
const part = (id) => document.getElementById(id);
const TOO_MANY = part('tooMany').textContent;

/** Shows one of the parts of the page. */
function show(id) {
  for (const one of document.querySelectorAll('main > section')) one.hidden = one.id !== id;
}

/** Says that the link does not work. Only now the address loses the token: a reload before needs it. */
function end() {
  history.replaceState(null, '', location.pathname);
  show('ended');
}

/** A response that is no answer about the link. */
class Refusal extends Error {
  constructor({ status, headers }) {
    super(`status ${status}`);
    this.status = status;
    this.seconds = headers.get('retry-after') ?? '60';
  }
}

/** Sends the token. Undefined if the link does not work; rejects if the service does not answer. */
async function send(path) {
  const response = await fetch(path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ token }),
  });
  if (response.status === 404 || response.status === 400) return undefined;
  if (!response.ok) throw new Refusal(response);
  return (await response.json()).data;
}

/** Does something, says why it failed, and offers to do it again. */
async function attempt(act) {
  for (const id of ['unreachable', 'tooMany', 'again']) part(id).hidden = true;
  try {
    await act();
  } catch ({ status, seconds }) {
    // The page was opened at another address than that of the service.
    if (status === 403) return show('elsewhere');
    if (!part('opening').hidden) show();
    part('tooMany').textContent = TOO_MANY.replace('{n}', seconds);
    part(status === 429 ? 'tooMany' : 'unreachable').hidden = false;
    const again = part('again');
    again.hidden = false;
    again.onclick = () => attempt(act);
    again.focus();
  }
}

async function open() {
  // Browsers keep the cookie only where nobody else can read it.
  if (!window.isSecureContext) return show('insecure');
  const linked = await send('session/link');
  if (linked === undefined) return end();
  const button = document.querySelector('#ready button');
  button.replaceChildren(...textWith(button.textContent, linked));
  button.onclick = async () => {
    button.disabled = true;
    await attempt(signIn);
    button.disabled = false;
  };
  show('ready');
  button.focus();
}

/** Puts names in the place of their braces. Each name is apart from the rest: it may be written from right to left. */
function textWith(text, names) {
  return text.split(/\{(\w+)\}/).map((piece, i) => {
    if (i % 2 === 0) return piece;
    const name = document.createElement('bdi');
    name.textContent = names[piece];
    return name;
  });
}

async function signIn() {
  if ((await send('session')) === undefined) return end();
  // The explorer replaces this page, so that the button "back" does not lead to the used link.
  location.replace('.');
}

attempt(open);
