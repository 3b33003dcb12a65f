import { Row } from './row.js';
import { pauseAll } from './sound.js';
import { findTracks, Unavailable } from './tracks.js';

const list = document.querySelector('#tracks');
const status = document.querySelector('#status');
const more = document.querySelector('#more');
const form = document.querySelector('form');
let page = 0;
/** The search that the list shows. An answer to an earlier one is ignored. */
let shown;

async function showNext() {
  const search = shown;
  more.hidden = true;
  try {
    const found = await findTracks(search.text, ++page);
    if (search !== shown) return;
    list.append(...found.items.map((track) => new Row(track).element));
    more.hidden = found.currentPage >= found.totalPages;
    const { totalRecords: total } = found;
    status.textContent = `${total === 0 ? 'No' : total} ${total === 1 ? 'track' : 'tracks'}`;
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
    page--;
    more.hidden = false;
    status.textContent = error.message;
  }
}

function search() {
  shown = { text: form.elements.search.value.trim() };
  page = 0;
  pauseAll();
  list.replaceChildren();
  showNext();
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  search();
});
more.addEventListener('click', showNext);
search();
