import { drawCloseup } from './closeup.js';
import { color } from './color.js';
import WaveSurfer from './lib/wavesurfer.js';
import { Sound } from './sound.js';
import { fetchInTurn, request, Unavailable } from './tracks.js';

const template = document.querySelector('#row');
const darkness = matchMedia('(prefers-color-scheme: dark)');
/** Tells rows when the visitor is about to see them, because each needs a request for its waveform. */
const sight = new IntersectionObserver(
  (entries) => {
    for (const { target } of entries.filter(({ isIntersecting }) => isIntersecting)) {
      sight.unobserve(target);
      target.dispatchEvent(new Event('seen'));
    }
  },
  { rootMargin: '200px' },
);

/** A track of the list. */
export class Row {
  element = template.content.firstElementChild.cloneNode(true);
  #track;
  #whole;
  #waveform;
  #removeCloseup = () => {};

  constructor(track) {
    this.#track = track;
    this.#describe();
    this.#whole = this.#sound('streamUrl', '.play', 'the whole track');
    this.#sound('previewUrl', '.clip', 'a preview');
    const { element } = this;
    element.addEventListener('seen', () => this.#attempt(() => this.#draw()), { once: true });
    sight.observe(element);
    this.#find('.wave').addEventListener('keydown', (event) => {
      const seconds = { ArrowLeft: -5, ArrowRight: 5 }[event.key];
      if (seconds) this.#whole.play(Math.max(0, this.#whole.audio.currentTime + seconds));
    });
    this.#find('.closer').addEventListener('click', () => {
      const panel = this.#find('.detail');
      panel.hidden = !panel.hidden;
      this.#find('.closer').setAttribute('aria-expanded', String(!panel.hidden));
      this.#attempt(() => this.#drawCloseup());
    });
    darkness.addEventListener('change', () => {
      this.#waveform?.setOptions(colors());
      this.#attempt(() => this.#drawCloseup());
    });
  }

  #find(selector) {
    return this.element.querySelector(selector);
  }

  #describe() {
    const { id, slug, name, artists, bpm, filters, artworkUrl, durationSeconds } = this.#track;
    Object.assign(this.element.dataset, { track: slug, id });
    this.#find('img').src = artworkUrl;
    this.#find('h2').textContent = name;
    this.#find('.artists').textContent = artists.map((artist) => artist.name).join(', ');
    this.#find('.time').textContent = clock(durationSeconds);
    const tags = filters.filter(({ type }) => type !== 'use-case').map((filter) => filter.name);
    this.#find('.tags').textContent = [...(bpm ? [`${bpm} bpm`] : []), ...tags].join(' · ');
  }

  /** A sound with its button. */
  #sound(member, selector, what) {
    const sound = new Sound(this.#track, member);
    const button = this.#find(selector);
    const show = () => {
      button.dataset.state = sound.isHeard ? 'heard' : sound.isWanted ? 'waiting' : 'silent';
      button.ariaLabel = `${sound.isWanted ? 'Pause' : 'Play'} ${what} of ${this.#track.name}`;
      const { currentTime, duration } = sound.audio;
      button.style.setProperty('--played', duration > 0 ? currentTime / duration : 0);
      if (sound === this.#whole) this.#showTime(currentTime);
      if (sound.isHeard) this.element.classList.remove('unavailable');
    };
    sound.addEventListener('change', show);
    sound.addEventListener('problem', ({ detail }) => this.#say(detail));
    button.addEventListener('click', () => (sound.isWanted ? sound.pause() : sound.play()));
    show();
    return sound;
  }

  #showTime(seconds) {
    const wave = this.#find('.wave');
    wave.ariaValueNow = seconds;
    wave.ariaValueText = clock(seconds);
    this.#find('.time').textContent = clock(seconds || this.#track.durationSeconds);
  }

  /** wavesurfer.js draws the waveform of the whole track, which plays from where it is clicked. */
  async #draw() {
    const response = await request(this.#track, 'waveformUrl', fetchInTurn);
    const { data, length, samples_per_pixel, sample_rate } = await response.json();
    const wave = this.#find('.wave');
    const duration = (length * samples_per_pixel) / sample_rate;
    this.#waveform = WaveSurfer.create({
      container: wave,
      media: this.#whole.audio,
      duration,
      // The data has the minimum and the maximum of each interval. Maxima go above the line, minima below.
      peaks: [1, 0].map((first) => Array.from({ length }, (_, i) => data[2 * i + first] / 128)),
      normalize: true,
      height: 56,
      // Bars need some hundred intervals.
      ...(length > 256 && { barWidth: 2, barGap: 1, barRadius: 2 }),
      cursorWidth: 0,
      ...colors(),
    });
    this.#waveform.on('interaction', (seconds) => this.#whole.play(seconds));
    // A short sound effect has no more details than fit into the row.
    this.#find('.closer').disabled = length < 512;
    wave.ariaValueMax = duration;
    wave.classList.add('drawn');
  }

  async #drawCloseup() {
    this.#removeCloseup();
    this.#removeCloseup = () => {};
    const panel = this.#find('.detail');
    if (panel.hidden) return;
    const button = this.#find('.closer');
    button.disabled = true;
    try {
      this.#removeCloseup = await drawCloseup(panel, this.#track, this.#whole);
    } finally {
      button.disabled = false;
    }
  }

  /** Shows a sentence in the place of the waveform. */
  #say(sentence) {
    this.#find('.problem').textContent = sentence;
    this.element.classList.add('unavailable');
  }

  async #attempt(action) {
    try {
      await action();
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error;
      this.#say(error.message);
    }
  }
}

const colors = () => ({ waveColor: color('--wave'), progressColor: color('--accent') });

const clock = (seconds) =>
  `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`;
