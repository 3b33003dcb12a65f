// What the pages do beyond forms and links. Without this script, all of them work.

/** For how long a form is not sent again. Whoever has stopped the sending may then repeat it. */
const ONCE_MS = 3_000;

/** Asks before a form with data-confirm is sent, and ignores a double click. */
document.addEventListener('submit', (event) => {
  const form = event.target;
  const question = form.dataset.confirm;
  if (Date.now() - Number(form.dataset.sent ?? 0) < ONCE_MS) event.preventDefault();
  else if (question !== undefined && !window.confirm(question)) event.preventDefault();
  else if (form.method === 'post') form.dataset.sent = Date.now();
});
// A page that the browser has kept may send its forms again.
window.addEventListener('pageshow', () => {
  for (const form of document.querySelectorAll('[data-sent]')) delete form.dataset.sent;
});

/** Copies the text before a button. Only with the script are these buttons shown. */
document.documentElement.classList.add('scripted');
document.addEventListener('click', async ({ target }) => {
  const button = target.closest('[data-copy]');
  if (button === null) return;
  const text = button.previousElementSibling;
  getSelection().selectAllChildren(text);
  // Over plain HTTP, browsers have no clipboard, but copy what is selected.
  const isCopied = await (navigator.clipboard?.writeText(text.textContent).then(
    () => true,
    () => false,
  ) ?? document.execCommand('copy'));
  document.getElementById('said').textContent = isCopied ? 'Copied' : 'Not copied: it is selected.';
  button.classList.toggle('copied', isCopied);
});

/** Takes the token of a link to set a password from the address, which then no longer shows it. */
for (const form of document.querySelectorAll('[data-link]')) {
  const { token } = form.elements;
  if (location.hash.length > 1) {
    token.value = location.hash.slice(1);
    history.replaceState(null, '', location.pathname);
  }
  for (const part of token.value === '' ? [] : [token, token.labels[0]]) part.hidden = true;
}

/** Replaces the part of a page that shows progress, until it has ended. */
async function refresh(part) {
  const seconds = Number(part.dataset.refresh);
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  // Says that nobody does something: the session does not last longer, and its notices wait.
  const headers = { 'X-Console-Refresh': '1' };
  const response = await fetch(location.href, { headers }).catch(() => null);
  // A session that has ended leads to the login.
  if (response?.redirected) return location.reload();
  const page = response?.ok && new DOMParser().parseFromString(await response.text(), 'text/html');
  const next = page ? page.getElementById(part.id) : part;
  if (next === null) return location.reload();
  part.replaceWith(next);
  if (next.dataset.refresh !== undefined) refresh(next);
  else next.querySelector('h2')?.scrollIntoView({ block: 'nearest' });
}
for (const part of document.querySelectorAll('[data-refresh]')) refresh(part);

/** Moves a track of a playlist by dragging it. The buttons of the list do the same without a pointer. */
for (const list of document.querySelectorAll('[data-order]')) {
  let dragged = null;
  list.addEventListener('dragstart', (event) => {
    dragged = event.target.closest('li');
    dragged.classList.add('dragged');
  });
  list.addEventListener('dragover', (event) => {
    const over = event.target.closest('li');
    if (dragged === null || over === null) return;
    event.preventDefault();
    const { top, height } = over.getBoundingClientRect();
    over[event.clientY > top + height / 2 ? 'after' : 'before'](dragged);
  });
  list.addEventListener('dragend', () => {
    dragged.classList.remove('dragged');
    const first = Math.min(...[...list.children].map(({ dataset }) => Number(dataset.place)));
    const place = first + [...list.children].indexOf(dragged);
    const button = dragged.querySelector('button[name="position"]');
    if (place !== Number(dragged.dataset.place)) {
      button.disabled = false;
      button.value = place;
      button.form.requestSubmit(button);
    }
    dragged = null;
  });
}
