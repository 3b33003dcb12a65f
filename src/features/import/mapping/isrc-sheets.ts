import rules from '../mappings/isrc-sheet.json' with { type: 'json' };

/** What distinguishes the sheets of some distributors from those of others. */
interface Sheet {
  /** The column of the title. Sheets with the column of an earlier entry of SHEETS are not of this form. */
  title: string;
  /** The columns of the main artists. The first one with a value applies. */
  artists: readonly string[];
  /** Whose sheets have these columns. */
  usedBy: string;
  /** Further columns that sheets of this form do not have. */
  none?: readonly string[];
}

const SHEETS: readonly Sheet[] = [
  {
    title: 'Track Title',
    artists: [
      'Track Primary Artists',
      'Track Primary Artist',
      'Primary Artists',
      'Primary Artist(s)',
      'Primary Artist',
      'Track Artists',
      'Track Artist(s)',
      'Track Artist',
      'Artists',
      'Artist',
    ],
    usedBy: 'FUGA, Believe and Symphonic use them',
  },
  {
    title: 'Track Name',
    artists: [
      'Track Artists',
      'Track Artist(s)',
      'Track Artist',
      'Artist Name',
      'Primary Artist',
      'Artists',
      'Artist',
    ],
    usedBy: 'The Orchard uses them',
  },
  {
    title: 'Song Title',
    artists: ['Primary Artist', 'Artist Name', 'Artists', 'Artist'],
    usedBy: 'DistroKid uses them',
  },
  {
    title: 'Title',
    artists: ['Primary Artist', 'Artist Name', 'Artists', 'Artist'],
    usedBy: 'CD Baby uses them',
    none: ['track_id'],
  },
];

/** Columns of sheets and files that other mappings, or Stave's own form, read. */
const OTHER_FORMS = ['SourceAudio ID', 'AlbumCode', 'Album Code', 'externalId'];

/**
 * Returns the mappings of track sheets that have a column `ISRC`, in the order in which they are tried. They share
 * their rules, `isrc-sheet.json`, except those for the title and the main artists.
 */
export function isrcSheets(): { name: string }[] {
  return SHEETS.map(({ title, artists, usedBy, none = [] }, i) => ({
    name: `isrc-${title.toLowerCase().replace(' ', '-')}`,
    description: `Track sheets of distributors with the columns \`ISRC\` and \`${title}\`, as ${usedBy}. The ISRC is the id of the track.`,
    recognize: {
      formats: ['csv', 'xlsx'],
      all: ['ISRC', title],
      none: [...OTHER_FORMS, ...SHEETS.slice(0, i).map((earlier) => earlier.title), ...none],
    },
    ...rules,
    fields: { ...rules.fields, name: title },
    artists: [
      {
        name: artists.map((column) => ({ from: column, split: [';', '|'] })),
        isPrimary: { constant: true },
      },
      ...rules.artists,
    ],
  }));
}
