import { describe, expect, it } from 'vitest';
import { nameOf, parseAddress, withEnvironment } from './address.ts';
import { isPlainToOthers } from './connection.ts';

const problemOf = (url: string): string => {
  try {
    parseAddress(url);
  } catch (error) {
    return (error as Error).message;
  }
  return expect.fail('it was accepted');
};

describe('the URL of a PostgreSQL database', () => {
  it.each([
    [
      'postgres://anna:s@h/d',
      { host: 'h', port: 5432, user: 'anna', password: 's', database: 'd' },
    ],
    ['postgresql://h:6432/d', { host: 'h', port: 6432, user: undefined, password: undefined }],
    ['postgres://u@[::1]:6432/d', { host: '::1', port: 6432 }],
    ['postgres://u:a%23%2F%3F%40%25@h/d%20e', { password: 'a#/?@%', database: 'd e' }],
    ['postgres://u:a@b:c@h/d', { user: 'u', password: 'a@b:c', host: 'h' }],
    [
      'postgres:///d?host=/var/run/postgresql&port=6432',
      { host: '/var/run/postgresql', port: 6432 },
    ],
    ['postgres://u@/d?host=%2Frun', { host: '/run', user: 'u' }],
    ['postgres://u@%2Fvar%2Frun:6432/d', { host: '/var/run', port: 6432 }],
    ['postgres://h/?dbname=d&user=u&password=p', { database: 'd', user: 'u', password: 'p' }],
    [
      'postgres://h/d?options=-c%20geqo%3Doff&application_name=one',
      { options: '-c geqo=off', applicationName: 'one' },
    ],
    ['postgres://h/d', { mode: 'prefer', rootCert: undefined }],
    [
      'postgres://h/d?sslmode=verify-ca&sslrootcert=/ca.pem',
      { mode: 'verify-ca', rootCert: '/ca.pem' },
    ],
    ['postgres://h/d?sslrootcert=system', { mode: 'verify-full', rootCert: 'system' }],
    ['postgres://h/d?ssl=true', { mode: 'require' }],
    ['postgres://h/d?sslmode=require&sslmode=disable', { mode: 'disable' }],
    ['postgres://h/d?sslcert=/c.pem&sslkey=/k.pem', { cert: '/c.pem', key: '/k.pem' }],
    ['postgres://h/d?sslmode=disable&sslcert=/c.pem', { mode: 'disable', cert: undefined }],
    ['postgres:///d?host=/run/postgresql&sslkey=/k.pem', { key: undefined }],
  ])('means what libpq reads: %s', (url, expected) => {
    expect(parseAddress(url)).toMatchObject(expected);
  });

  it.each([
    ['a # in the password', 'postgres://u:sesame#x@h/d', 'write # as %23, / as %2F, ? as %3F'],
    ['a / in the password', 'postgres://u:sesame/x@h/d', 'write # as %23, / as %2F, ? as %3F'],
    ['a ? in the password', 'postgres://u:sesame?x@h/d', 'write # as %23, / as %2F, ? as %3F'],
    ['a / after an @', 'postgres://u:sesame@x/y@h/d', 'write # as %23, / as %2F, ? as %3F'],
    ['a ? after an @ and a /', 'postgres://u:sesame@x/y?z@h/d', 'write # as %23'],
    ['a bare %', 'postgres://u:sesame%x@h/d', '% as %25'],
    ['a NUL', 'postgres://u:sesame%00@h/d', '% as %25'],
    ['another scheme', 'mysql://u:sesame@h/d', 'must be postgres://USER@HOST:PORT/DATABASE'],
    ['no database', 'postgres://u:sesame@h', 'must be postgres://USER@HOST:PORT/DATABASE'],
    ['a bad port', 'postgres://u:sesame@h:5432a/d', 'must be postgres://USER@HOST:PORT/DATABASE'],
    ['port 0', 'postgres://u:sesame@h:0/d', 'must be postgres://USER@HOST:PORT/DATABASE'],
    ['a bad address', 'postgres://u:sesame@::1/d', 'must be postgres://USER@HOST:PORT/DATABASE'],
    ['no host', 'postgres://u:sesame@/d', 'names no host: write'],
    ['several hosts', 'postgres://u:sesame@a:1,b:2/d', 'names several hosts: give one address'],
    ['several hosts', 'postgres://u:sesame@a,b/d', 'names several hosts: give one address'],
    ['several hosts', 'postgres:///d?host=a,b', 'names several hosts: give one address'],
    [
      'a misspelled mode',
      'postgres://u:sesame@h/d?sslmode=verify_full',
      'has the unknown sslmode: the modes are disable, allow',
    ],
    [
      'a mode of a driver',
      'postgres://u:sesame@h/d?sslmode=no-verify',
      'has the unknown sslmode no-verify: the modes are disable, allow',
    ],
    [
      'a misspelled parameter',
      'postgres://u:sesame@h/d?sslmod=require',
      'has the parameter sslmod, which Stave does not have (did you mean sslmode?)',
    ],
    [
      'an unknown parameter',
      'postgres://h/d?target_session_attrs=primary',
      'has the parameter target_session_attrs, which Stave does not have: it has host, port,',
    ],
    [
      'no authority',
      'postgres://h/d?sslmode=verify-ca',
      'has sslmode=verify-ca without sslrootcert: name the file',
    ],
    [
      'an authority for everyone',
      'postgres://h/d?sslmode=require&sslrootcert=system',
      'has sslrootcert=system with sslmode=require',
    ],
    ['half a pair', 'postgres://h/d?sslcert=/c.pem', 'needs sslcert and sslkey (PGSSLCERT'],
  ])('is refused with %s', (_, url, message) => {
    expect(problemOf(url)).toContain(message);
    expect(problemOf(url)).not.toContain('sesame');
  });

  it('gets from the environment what libpq reads there, unless it says it', () => {
    const env = {
      PGSSLMODE: 'require',
      PGHOST: 'h',
      PGUSER: 'u v',
      PGPASSWORD: 'sesame',
      PGPORT: '',
    };
    const url = withEnvironment('postgres:///d', env);
    expect(url).not.toContain('sesame');
    expect(parseAddress(url)).toMatchObject({
      host: 'h',
      port: 5432,
      user: 'u v',
      mode: 'require',
    });
    const whole = 'postgres://w@i/d?sslmode=disable';
    expect(withEnvironment(whole, env)).toBe(whole);
  });

  it.each([
    ['postgres://u:sesame@h/d?sslmode=disable', 'h/d'],
    ['postgres://u:sesame@[::1]:6432/d', '[::1]:6432/d'],
    ['postgres://u:sesame@%2Frun:6432/d', '/run/d'],
  ])('has a name without secrets: %s', (url, name) => {
    expect(nameOf(url)).toBe(name);
  });

  it.each([
    ['postgres://db/d?sslmode=disable', true],
    ['postgres://10.0.0.5/d?sslmode=disable', true],
    ['postgres://db/d?sslmode=require', false],
    ['postgres://localhost/d?sslmode=disable', false],
    ['postgres://127.0.0.2/d?sslmode=disable', false],
    ['postgres://[::1]/d?sslmode=disable', false],
    ['postgres:///d?host=/run', false],
  ])('sends plain text to another host: %s, %s', (url, isPlain) => {
    expect(isPlainToOthers(url)).toBe(isPlain);
  });
});
