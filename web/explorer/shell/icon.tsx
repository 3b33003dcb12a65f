/** Pictures of 24 × 24 units, drawn with lines of the color of the text. */
const PATHS = {
  play: 'M8 5.5v13l11-6.5z',
  pause: 'M8 5v14M16 5v14',
  next: 'M6 6l8 6-8 6zM18 6v12',
  previous: 'M18 6l-8 6 8 6zM6 6v12',
  search: 'M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM16 16l5 5',
  done: 'M5 12.5l5 5L19 7',
  close: 'M6 6l12 12M18 6L6 18',
  volume: 'M4 10v4h3l4 4V6L7 10zM15 9a4 4 0 0 1 0 6M17.5 6.5a8 8 0 0 1 0 11',
  muted: 'M4 10v4h3l4 4V6L7 10zM15 9.5l5 5M20 9.5l-5 5',
  brief: 'M4 5h16v11H10l-4 4v-4H4zM8 9h8M8 12h5',
  filter: 'M4 6h16M7 12h10M10 18h4',
  sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.4 1.4M17.6 17.6L19 19M19 5l-1.4 1.4M6.4 17.6L5 19',
  moon: 'M20 14.5A8 8 0 0 1 9.5 4a8 8 0 1 0 10.5 10.5z',
  help: 'M9 9a3 3 0 1 1 4.5 2.6c-1 .6-1.5 1.2-1.5 2.4M12 17.5v.5',
  code: 'M8 7l-5 5 5 5M16 7l5 5-5 5',
  log: 'M4 6h16M4 12h16M4 18h10',
  library: 'M5 4v16M10 4v16M15 5l4 15',
  list: 'M4 6h12M4 11h12M4 16h7M17 13v7M17 13l3 1',
  folder: 'M3 6h6l2 2h10v11H3z',
  receipt: 'M6 3h12v18l-3-2-3 2-3-2-3 2zM9 8h6M9 12h6',
  link: 'M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1-1',
  menu: 'M4 6h16M4 12h16M4 18h16',
  add: 'M12 5v14M5 12h14',
  up: 'M6 15l6-6 6 6',
  down: 'M6 9l6 6 6-6',
  edit: 'M4 20h4L19 9l-4-4L4 16z',
  license: 'M5 3h10l4 4v14H5zM15 3v4h4M9 13l2 2 4-4',
  cart: 'M3 4h3l2 11h10l2-8H7M9 20h.01M17 20h.01',
  leave: 'M10 4H5v16h5M14 8l4 4-4 4M18 12H9',
  copy: 'M9 9h11v11H9zM15 9V4H4v11h5',
  sound: 'M5 10v4M9 6v12M13 9v6M17 4v16M21 10v4',
  similar: 'M4 12c2-6 4-6 6 0s4 6 6 0 3-5 4-3',
  download: 'M12 4v11M7 11l5 5 5-5M5 20h14',
  bookmark: 'M6 3h12v18l-6-5-6 5z',
  back: 'M15 5l-7 7 7 7',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class={`icon ${name}`} viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}
