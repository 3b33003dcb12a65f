import type { Track } from '#client';
import { element, icon, type Shape } from './dom.ts';
import type { Session } from './session.ts';
import type { Sound } from './sound.ts';
import type { Texts } from './texts.ts';
import { drawOutline, readOutline } from './waveform.ts';

/** What dragged tracks are for programs that know Stave. */
const TRACK_TYPE = 'application/x-stave-track+json';

/** How far the arrow keys move in a track, in seconds. */
const STEP_SECONDS = 5;

export interface RowContext {
  texts: Texts;
  session: Session;
  sound: Sound;
  signal: AbortSignal;
  onSelect(track: Track): void;
  onPlay(track: Track): void;
}

/** A track of the list. */
export class Row {
  readonly node: HTMLLIElement;
  /** The controls in their order, for the arrow keys. */
  readonly controls: readonly HTMLButtonElement[];
  readonly #context: RowContext;
  readonly #play: HTMLButtonElement;
  readonly #canvas: HTMLCanvasElement;
  readonly #position: HTMLInputElement;
  readonly #time: HTMLSpanElement;
  #track: Track;
  #outline: readonly number[] | undefined;
  #shape: Shape | undefined;

  constructor(track: Track, context: RowContext) {
    const { texts } = context;
    this.#context = context;
    this.#track = track;
    const { name, artists, durationSeconds, artworkUrl, hasAudio } = track;
    this.#play = element('button', {
      ...{ type: 'button', part: 'play', class: 'play', disabled: !hasAudio },
      onclick: () => context.onPlay(this.#track),
    });
    const select = element(
      'button',
      {
        ...{ type: 'button', class: 'select', 'aria-label': `${texts.select}: ${name}` },
        onclick: () => context.onSelect(this.#track),
      },
      texts.select,
    );
    this.controls = [this.#play, select];
    this.#canvas = element('canvas', { 'aria-hidden': 'true' });
    this.#position = element('input', {
      ...{ type: 'range', min: '0', max: String(durationSeconds), step: 'any', hidden: true },
      'aria-label': `${texts.position}: ${name}`,
      oninput: () => {
        context.sound.position = Number(this.#position.value);
      },
      onkeydown: (event: KeyboardEvent) => this.#seek(event),
    });
    this.#time = element('span', { class: 'time' }, timeOf(durationSeconds));
    const artwork = element('img', {
      ...{ part: 'artwork', alt: '', width: 44, height: 44, draggable: false },
    });
    artwork.loading = 'lazy';
    artwork.src = artworkUrl;
    this.node = element(
      'li',
      { part: 'row', draggable: true },
      artwork,
      this.#play,
      element(
        'div',
        { class: 'title' },
        element('div', { part: 'name', class: 'name', title: name }, name),
        element(
          'div',
          { class: 'meta' },
          hasAudio ? artists.map((artist) => artist.name).join(', ') : texts.silent,
        ),
      ),
      element('div', { class: 'wave' }, this.#canvas, this.#position),
      this.#time,
      select,
    );
    this.node.addEventListener('dragstart', (event) => this.#drag(event));
    for (const type of ['pointerenter', 'focusin']) {
      this.node.addEventListener(type, () => this.#freshen());
    }
    this.update();
  }

  get id(): string {
    return this.#track.id;
  }

  /** Loads the waveform, once the row can be seen. */
  async show(): Promise<void> {
    this.draw();
    const { session, signal } = this.#context;
    try {
      const { waveformUrl } = await session.fresh(this.#track, signal);
      if (waveformUrl === undefined || !this.#track.hasAudio) return;
      this.#outline = await readOutline(waveformUrl, signal);
      this.#canvas.classList.toggle('drawn', this.#outline !== undefined);
      this.draw();
    } catch {
      // The line shows the position, too.
    }
  }

  /** Shows what of the track is heard. */
  update(): void {
    const { sound, texts } = this.#context;
    const isCurrent = sound.current?.id === this.id;
    const shape = isCurrent && !sound.isPaused ? 'pause' : 'play';
    if (shape !== this.#shape) {
      this.#shape = shape;
      this.#play.replaceChildren(icon(shape));
      this.#play.setAttribute('aria-label', `${texts[shape]}: ${this.#track.name}`);
    }
    if (!isCurrent && this.#position.hidden) return;
    this.node.setAttribute('aria-current', String(isCurrent));
    this.#position.hidden = !isCurrent;
    const seconds = isCurrent ? sound.position : 0;
    this.#position.max = String(sound.duration);
    this.#position.value = String(seconds);
    this.#position.setAttribute('aria-valuetext', timeOf(seconds));
    this.#time.textContent = timeOf(isCurrent ? seconds : this.#track.durationSeconds);
    this.draw();
  }

  draw(): void {
    const { sound } = this.#context;
    const isCurrent = sound.current?.id === this.id;
    const played = isCurrent && sound.duration > 0 ? sound.position / sound.duration : 0;
    drawOutline(this.#canvas, this.#outline, played);
  }

  #seek(event: KeyboardEvent): void {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    this.#context.sound.position += by * STEP_SECONDS;
  }

  /** Replaces URLs that end soon before they can be dragged away. */
  #freshen(): void {
    const { session, signal } = this.#context;
    session.fresh(this.#track, signal).then(
      (track) => {
        this.#track = track;
      },
      () => {},
    );
  }

  #drag({ dataTransfer }: DragEvent): void {
    if (dataTransfer === null) return;
    dataTransfer.setData('text/plain', this.#track.name);
    dataTransfer.setData('text/uri-list', this.#track.streamUrl);
    dataTransfer.setData(TRACK_TYPE, JSON.stringify(this.#track));
    dataTransfer.effectAllowed = 'copy';
  }
}

function timeOf(seconds: number): string {
  const whole = Math.floor(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`;
}
