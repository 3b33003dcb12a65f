// Signs in with the link whose token is the fragment of the address. Programs that preview links open the page, so only
// the click of a person uses the link.

const [token] = location.hash.slice(1).split('&', 1);

/** Shows one of the parts of the page. */
function show(id) {
  for (const part of document.querySelectorAll('main > section')) part.hidden = part.id !== id;
}

/** Says that the link does not work. Only now the address loses the token: a reload before needs it. */
function end() {
  history.replaceState(null, '', location.pathname);
  show('ended');
}

/** Sends the token. Undefined if the link does not work; rejects if the service cannot answer. */
async function send(path) {
  const response = await fetch(path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ token }),
  });
  if (response.status === 404 || response.status === 400) return undefined;
  if (!response.ok) throw new Error(`status ${response.status}`);
  return (await response.json()).data;
}

async function open() {
  // Browsers keep the cookie only where nobody else can read it.
  if (!window.isSecureContext) return show('insecure');
  const linked = await send('session/link');
  if (linked === undefined) return end();
  const button = document.querySelector('button');
  button.textContent = `Sign in as ${linked.seat} at ${linked.client}`;
  button.addEventListener('click', () => {
    button.disabled = true;
    signIn().catch(() => {
      button.disabled = false;
      document.getElementById('problem').hidden = false;
    });
  });
  show('ready');
  button.focus();
}

async function signIn() {
  if ((await send('session')) === undefined) return end();
  // The explorer replaces this page, so that the button "back" does not lead to the used link.
  location.replace('.');
}

open().catch(() => show('failed'));
