/**
 * The 249 assigned country codes of ISO 3166-1 alpha-2, in upper case. Codes that are only reserved (`UK`, `EU`) or
 * chosen by users (`XK`) are not among them.
 */
export const COUNTRIES: readonly string[] = (
  'AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ ' +
  'BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ ' +
  'CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET ' +
  'FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ' +
  'ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ ' +
  'LA LB LC LI LK LR LS LT LU LV LY ' +
  'MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ ' +
  'NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA ' +
  'RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ ' +
  'TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS ' +
  'YE YT ZA ZM ZW'
).split(' ');

/**
 * The currencies of ISO 4217 by their number of decimals (minor unit), as of 2026. `Intl` is not used, because Node
 * gives HUF, IQD and MGA no decimals, and ISO 4217 gives them 2, 3 and 2. Codes without a minor unit, such as XAU, are
 * not among them. A code that ISO 4217 withdraws stays, because stored rate cards may have it.
 */
const BY_MINOR_UNIT: Readonly<Record<number, string>> = {
  0: 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF',
  2:
    'AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BOV BRL BSD BTN BWP BYN BZD ' +
    'CAD CDF CHE CHF CHW CNY COP COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP ' +
    'GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT ' +
    'LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN ' +
    'NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP ' +
    'SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED VES ' +
    'WST XAD XCD XCG YER ZAR ZMW ZWG',
  3: 'BHD IQD JOD KWD LYD OMR TND',
  4: 'CLF UYW',
};

const MINOR_UNITS: ReadonlyMap<string, number> = new Map(
  Object.entries(BY_MINOR_UNIT).flatMap(([minorUnit, codes]) =>
    codes.split(' ').map((code) => [code, Number(minorUnit)]),
  ),
);

/** Returns the number of decimals of a currency; undefined for a code that is not in ISO 4217, or not in upper case. */
export function minorUnitOf(currency: string): number | undefined {
  return MINOR_UNITS.get(currency);
}

/** The region of a track that may be used everywhere, and the territory that contains every country. */
export const WORLD = 'WORLD';

/** A group of countries that a region of tracks may name, as a rate card defines it. */
export interface RegionGroup {
  code: string;
  /** Codes of ISO 3166-1; null if the group contains every country. */
  countries: ReadonlySet<string> | null;
}

/**
 * Whether a region covers a territory, which is a country or WORLD: the region is WORLD, or the territory, or a group
 * that lists the territory or has no countries.
 */
export function coversTerritory(
  region: string,
  territory: string,
  groups: readonly RegionGroup[],
): boolean {
  return (
    region === WORLD ||
    region === territory ||
    groups.some(
      ({ code, countries }) => code === region && (countries === null || countries.has(territory)),
    )
  );
}

/** The regions that cover each of the territories, of which there is at least one; ascending. */
export function regionsCovering(
  territories: readonly string[],
  groups: readonly RegionGroup[],
): string[] {
  const candidates = new Set([WORLD, ...territories, ...groups.map(({ code }) => code)]);
  return [...candidates]
    .filter((region) =>
      territories.every((territory) => coversTerritory(region, territory, groups)),
    )
    .sort();
}
