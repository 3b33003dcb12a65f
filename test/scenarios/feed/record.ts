/** An event of the feed, of which a record uses some members. */
export interface Event {
  seq: number;
  version: number;
  type: string;
  trackId: string;
  track?: { bpm: string } | null;
}

/** What one reader of the feed has received. */
export class Record {
  #seen = new Uint8Array(1 << 20);
  /** The deliveries of each track so far. */
  readonly #delivered = new Map<string, number>();
  #last = 0;
  /** All events, with repetitions. */
  events = 0;
  outOfOrder = 0;
  /** Events that show a track as it was before the event. */
  older = 0;

  /** Adds a page that follows the one before it, or that begins again at an earlier time. */
  add(page: readonly Event[], isRestart = false): void {
    if (isRestart) this.#last = 0;
    for (const event of page) {
      const { seq, version } = event;
      if (seq <= this.#last || version !== seq) this.outOfOrder++;
      this.#last = seq;
      this.events++;
      this.#mark(seq);
      if (event.track !== undefined) this.#compare(event);
    }
  }

  /** The number of the last event; 0 if it has none. */
  get last(): number {
    return this.#last;
  }

  /** Whether it has the event with this number. */
  has(seq: number): boolean {
    return this.#seen[seq] === 1;
  }

  #mark(seq: number): void {
    if (seq >= this.#seen.length) {
      const larger = new Uint8Array(2 * seq);
      larger.set(this.#seen);
      this.#seen = larger;
    }
    this.#seen[seq] = 1;
  }

  /** The tempo counts the deliveries. The reader must have all events of the track, each once. */
  #compare({ type, trackId, track }: Event): void {
    const isDelivery = type === 'track.created' || type === 'track.updated';
    const delivered = (this.#delivered.get(trackId) ?? 0) + (isDelivery ? 1 : 0);
    this.#delivered.set(trackId, delivered);
    if (track && Number(track.bpm) < delivered) this.older++;
  }
}
