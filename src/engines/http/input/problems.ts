import type { FieldProblem } from '../../../common/errors.ts';
import { nearest } from '../../../common/text/explain.ts';
import { withoutSecretText } from '../../../common/text/shown.ts';
import { knownNames, listed } from './schema/schema-rules.ts';

/** The most problems that one response reports; a body can have thousands. */
export const MAX_PROBLEMS = 50;

/** The field name of the whole body in problems. */
export const BODY = 'body';

/** Adds a problem. The message has no period at its end. */
export function report(problems: FieldProblem[], field: string, message: string): void {
  if (problems.length < MAX_PROBLEMS) {
    problems.push({ field, message });
  }
}

/** Whether further problems would not be reported, so that looking for them would waste time. */
export function isFull(problems: readonly FieldProblem[]): boolean {
  return problems.length >= MAX_PROBLEMS;
}

/** Adds a problem whose message is “must” and the rule. */
export function refuse(problems: FieldProblem[], field: string, rule: string): void {
  report(problems, field, `${field} must ${rule}`);
}

/**
 * Returns a name from a request, shortened for a message, and with anything that looks like a secret
 * redacted.
 */
export function shortened(name: string): string {
  const short = name.length <= 60 ? name : `${name.slice(0, 60).toWellFormed()}…`;
  return withoutSecretText(short);
}

const TEXT =
  'search q query text term terms keyword keywords phrase s name title find searchtext searchterm searchquery';
const PAGE_SIZE =
  'pagesize limit perpage size count take top rows max maxresults results resultsperpage itemsperpage n';

/**
 * The names that other APIs use for a member, by its name in Stave; in lower case, without characters other
 * than letters and digits. A name may be listed for several members, and then means any of them.
 */
const USUAL_NAMES: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries({
    search: TEXT,
    query: TEXT,
    q: TEXT,
    text: TEXT,
    pageSize: PAGE_SIZE,
    limit: PAGE_SIZE,
    page: 'offset skip start from cursor after pagenumber pageno pageindex currentpage p',
    type: 'kind tracktype',
    filterSlugs:
      'filter filters filterslug slug slugs genre genres mood moods usecase usecases category categories style styles tag tags',
    filterIds: 'filterid filteruuid filteruuids genreid genreids moodid moodids categoryid',
    hasVocals: 'vocal vocals instrumental isinstrumental withvocals',
    songKey: 'key keys tonality scale',
    bpmMin: 'bpm tempo minbpm bpmfrom tempomin mintempo bpmgte',
    bpmMax: 'bpm tempo maxbpm bpmto tempomax maxtempo bpmlte',
    durationMin: 'duration length minduration durationfrom minlength durationgte',
    durationMax: 'duration length maxduration durationto maxlength durationlte',
    releasedFrom: 'released releasedate year since from datefrom fromdate releasedafter after',
    releasedTo: 'released releasedate year until dateto todate releasedbefore before',
    sort: 'sortby order orderby ordering sorting sortorder sortfield',
    facets: 'facet aggs aggregations',
    in: 'fields searchin searchfields infields',
    period: 'range days window timeframe timespan interval',
    track: 'trackid slug trackslug',
    trackId: 'track slug trackslug',
    tracks: 'trackids slugs trackslugs items',
    trackIds: 'tracks slugs trackslugs items',
    items: 'tracks trackids slugs',
    grant_type: 'grant type',
    client_id: 'id client clientkey user username apikey',
    client_secret: 'secret key password clientpassword apisecret',
    scope: 'scopes',
  }).map(([name, words]) => [name, new Set(words.split(' '))]),
);

/**
 * Returns the known names that an unknown one may mean: the one that differs only in case, in separators or
 * in brackets (`page_size`, `filterSlugs[]`), otherwise those that other APIs use for it (`per_page`),
 * otherwise the one with the most similar spelling. Returns an empty list if none is similar. The unknown
 * name may come from an anonymous caller and have any length; the known ones come from schemas.
 */
export function meantNames(name: string, known: Iterable<string>): readonly string[] {
  const word = plain(shortened(name));
  const names = [...known];
  const same = names.find((one) => plain(one) === word);
  if (same !== undefined) {
    return [same];
  }
  const usual = names.filter((one) => USUAL_NAMES.get(one)?.has(word));
  if (usual.length > 0) {
    return usual;
  }
  // A shorter name is similar to too many others.
  const alike = word.length > 2 ? nearest(shortened(name), names) : undefined;
  return alike === undefined ? [] : [alike];
}

/**
 * Returns the end of a message about an unknown name: the known ones that it may mean, or else all known ones.
 *
 * @param noun what has a name: `member`
 * @param shown returns how a name that may be meant is shown
 */
export function nameHint(
  name: string,
  known: readonly string[],
  noun: string,
  shown = (one: string) => one,
): string {
  const meant = meantNames(name, known);
  if (meant.length > 0) return ` (did you mean ${listed(meant.map(shown), 'or')}?)`;
  return known.length === 0 ? ', which has none' : `; ${knownNames(noun, known)}`;
}

/** Removes what differs between spellings of one name, and the brackets of a list, empty or with an index. */
function plain(name: string): string {
  return name
    .replace(/\[[0-9]*\]$/, '')
    .replace(/[^A-Za-z0-9]/g, '')
    .toLowerCase();
}
