import { COUNTRIES } from '../../../common/codes/countries.ts';

/** Further English names, which are not the first choice of Unicode. Names of several countries (`Congo`) are not here. */
const FURTHER_NAMES: Readonly<Record<string, string>> = {
  AE: 'UAE',
  BO: 'Plurinational State of Bolivia',
  BN: 'Brunei Darussalam',
  BS: 'Bahamas',
  CD: 'Democratic Republic of the Congo|DR Congo|DRC',
  CG: 'Republic of the Congo',
  CI: 'Ivory Coast',
  CV: 'Cabo Verde',
  CZ: 'Czech Republic',
  FK: 'Falkland Islands (Malvinas)',
  FM: 'Federated States of Micronesia',
  GB: 'UK|U.K.|Great Britain|United Kingdom of Great Britain and Northern Ireland',
  HK: 'Hong Kong',
  IE: 'Republic of Ireland',
  IR: 'Islamic Republic of Iran',
  KN: 'Saint Kitts & Nevis',
  KP: "Democratic People's Republic of Korea",
  KR: 'Republic of Korea',
  LA: "Lao People's Democratic Republic",
  MD: 'Republic of Moldova',
  MK: 'Macedonia|Republic of North Macedonia',
  MM: 'Myanmar|Burma',
  MO: 'Macau|Macao',
  NL: 'The Netherlands|Holland',
  PS: 'Palestine|State of Palestine',
  RU: 'Russian Federation',
  SY: 'Syrian Arab Republic',
  SZ: 'Swaziland',
  TL: 'East Timor',
  TR: 'Turkey|Türkiye',
  TW: 'Republic of China (Taiwan)',
  TZ: 'United Republic of Tanzania',
  US: 'USA|U.S.|U.S.A.|United States of America',
  VA: 'Vatican|Holy See',
  VE: 'Bolivarian Republic of Venezuela',
  VN: 'Viet Nam',
};

/** The codes by folded name; made when a name is first looked up, because few imports have any. */
let codes: ReadonlyMap<string, string> | undefined;

/** Returns the ISO 3166-1 alpha-2 code of the country with this English name; undefined if there is none. */
export function countryNamed(name: string): string | undefined {
  codes ??= codesByName();
  return codes.get(foldedName(name));
}

function codesByName(): ReadonlyMap<string, string> {
  const names = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' });
  const found = new Map<string, string>();
  for (const code of COUNTRIES) {
    for (const name of [names.of(code) ?? '', ...(FURTHER_NAMES[code] ?? '').split('|')]) {
      found.set(foldedName(name), code);
    }
  }
  found.delete('');
  return found;
}

/** Returns the words of a name in lower case, without accents, signs and a leading article. */
export function foldedName(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll('&', ' and ')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
    .replace(/^the /, '')
    .replace(/\bsaint\b/g, 'st');
}
