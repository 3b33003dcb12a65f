import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dateReader, parseReleaseDate } from './release-date.ts';

const at = (text: string) => {
  const milliseconds = parseReleaseDate(text);
  return milliseconds === undefined || milliseconds === null
    ? milliseconds
    : new Date(milliseconds).toISOString();
};

describe('parseReleaseDate', () => {
  it.each([
    ['2013', '2013-01-01T00:00:00.000Z'],
    ['2011-08', '2011-08-01T00:00:00.000Z'],
    ['2011-08-02', '2011-08-02T00:00:00.000Z'],
    ['2011-08-00', '2011-08-01T00:00:00.000Z'],
    ['2011-00-00', '2011-01-01T00:00:00.000Z'],
    ['2012-10-25T04:54:43', '2012-10-25T04:54:43.000Z'],
    ['2012-10-25 04:54', '2012-10-25T04:54:00.000Z'],
    ['2021-10-30T14:43:49+02:00', '2021-10-30T12:43:49.000Z'],
    ['2021-10-30T14:43:49-0530', '2021-10-30T20:13:49.000Z'],
    ['2021-10-30T14:43:49.123456Z', '2021-10-30T14:43:49.123Z'],
    ['1685', '1685-01-01T00:00:00.000Z'],
    ['0001-01-01', '0001-01-01T00:00:00.000Z'],
    ['2016-12-31T23:59:60Z', '2017-01-01T00:00:00.000Z'],
  ])('reads %s', (text, expected) => {
    expect(at(text)).toBe(expected);
  });

  it.each(['', '0', '0000', '0000-00-00'])('reads %j as unknown', (text) => {
    expect(parseReleaseDate(text)).toBeNull();
  });

  it.each([
    '2013-02-30',
    '2013-13-01',
    '2013-00-05',
    '13',
    '20134',
    'yesterday',
    '11/26/2008',
    '2013-01-01T25:00',
    '2013-01-01T10:61',
    '2013-01-01T10:00+99:00',
    '9999-12-31T23:59:59-18:00',
    '0001-01-01T00:00:00+10:00',
    '2013-01-01junk',
  ])('refuses %s', (text) => {
    expect(parseReleaseDate(text)).toBeUndefined();
  });

  it('reads back every instant that JavaScript writes', () => {
    const instants = fc.date({
      min: new Date('0001-01-01T00:00:00.000Z'),
      max: new Date('9999-12-31T23:59:59.999Z'),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(instants, (date) => parseReleaseDate(date.toISOString()) === date.getTime()),
    );
  });
});

describe('dateReader', () => {
  const read = (form: string, text: string) => {
    const milliseconds = dateReader(form)(text);
    return milliseconds === undefined ? undefined : new Date(milliseconds).toISOString();
  };

  it.each([
    ['MM/DD/YYYY hh:mm:ss A', '11/26/2008 01:48:12 AM', '2008-11-26T01:48:12.000Z'],
    ['MM/DD/YYYY hh:mm:ss A', '11/26/2008 12:00:00 AM', '2008-11-26T00:00:00.000Z'],
    ['MM/DD/YYYY hh:mm:ss A', '11/26/2008 12:30:00 pm', '2008-11-26T12:30:00.000Z'],
    ['MM/DD/YY', '1/01/08', '2008-01-01T00:00:00.000Z'],
    ['DD.MM.YYYY', '3.4.1999', '1999-04-03T00:00:00.000Z'],
    ['YYYYMMDD', '20110802', '2011-08-02T00:00:00.000Z'],
    ['DD/MM/YY', '01/02/71', '1971-02-01T00:00:00.000Z'],
    ['D-MMM-YY', '2-Aug-11', '2011-08-02T00:00:00.000Z'],
    ['D-MMM-YY', '12-SEPT-70', '1970-09-12T00:00:00.000Z'],
    ['MMM D, YYYY', 'December 24, 1999', '1999-12-24T00:00:00.000Z'],
    ['DD MMM YYYY', '1 Feb. 2001', '2001-02-01T00:00:00.000Z'],
    ['YYYY-MM-DDThh:mm:ssZ', '2011-08-02T10:00:00Z', '2011-08-02T10:00:00.000Z'],
  ])('reads the form %s', (form, text, expected) => {
    expect(read(form, text)).toBe(expected);
  });

  it.each([
    ['de', 'D. MMM YYYY', '3. März 2020', '2020-03-03'],
    ['de', 'D. MMM YYYY', '3. MRZ 2020', '2020-03-03'],
    ['de', 'DD-MMM-YYYY', '01-Dez.-2018', '2018-12-01'],
    ['de', 'DD-MMM-YYYY', '01-Oct-2018', '2018-10-01'],
    ['fr', 'D MMM YYYY', '14 févr. 2019', '2019-02-14'],
    ['fr', 'D MMM YYYY', '14 Aout 2019', '2019-08-14'],
    ['fr', 'D MMM YYYY', '1 juin 2019', '2019-06-01'],
    ['fr', 'D MMM YYYY', '1 juillet 2019', '2019-07-01'],
    ['pl', 'D MMM YYYY', '3 października 2001', '2001-10-03'],
    ['ru', 'D MMM YYYY', '5 мая 2001', '2001-05-05'],
  ])('reads month names in %s: %s, %s', (language, form, text, expected) => {
    expect(new Date(dateReader(form, language)(text)!).toISOString().slice(0, 10)).toBe(expected);
  });

  it('reads no month name of another language', () => {
    expect(dateReader('D MMM YYYY')('3 Dezember 2020')).toBeUndefined();
    expect(dateReader('D MMM YYYY', 'de')('3 décembre 2020')).toBeUndefined();
  });

  it('refuses days that do not exist and texts of another form', () => {
    expect(read('MM/DD/YYYY', '02/30/2008')).toBeUndefined();
    expect(read('MM/DD/YYYY', '2008-02-03')).toBeUndefined();
    expect(read('MM/DD/YYYY hh:mm A', '02/03/2008 13:00 PM')).toBeUndefined();
  });

  it('refuses a form without a year or with a part twice', () => {
    expect(() => dateReader('MM/DD')).toThrow('names no year');
    expect(() => dateReader('YYYY-YYYY')).toThrow('twice');
    expect(() => dateReader('MM MMM YYYY')).toThrow('twice');
  });

  it('refuses a form with letters without a meaning', () => {
    expect(() => dateReader('D-Mon-YY')).toThrow('holds the letters "on"');
    expect(() => dateReader('JJJJ-MM-TT')).toThrow('holds the letters "JJJJ"');
    expect(read('D-MMM-YY', '2-Foo-11')).toBeUndefined();
  });
});
