import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startHouse, type TestClient, type TestHouse } from '../harness/house.ts';

const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };

let house: TestHouse;
let client: TestClient;
beforeAll(async () => {
  house = await startHouse({ tracks: [] });
  client = await house.createClient();
});
afterAll(() => house?.close());

describe('POST /v1/auth/token', () => {
  it('answers JSON with the envelope, not to be kept', async () => {
    const { data, headers } = await house.call('createToken', {
      body: {
        grant_type: 'client_credentials',
        client_id: client.clientId,
        client_secret: client.liveSecret,
      },
    });
    expect(data).toMatchObject({ token_type: 'Bearer', expires_in: 3600, mode: 'live' });
    expect(headers['cache-control']).toBe('no-store');
    expect(headers.pragma).toBe('no-cache');
    const { data: me } = await house.call('readMe', { token: data.access_token });
    expect(me).toMatchObject({ clientId: client.clientId, mode: 'live' });
  });

  it('answers a form with the members of RFC 6749 at the top level too', async () => {
    const basic = Buffer.from(`${client.clientId}:${client.testSecret}`).toString('base64');
    const answer = await house.call('createToken', {
      body: 'grant_type=client_credentials&scope=search',
      headers: { ...FORM, Authorization: `Basic ${basic}` },
    });
    const whole = JSON.parse(answer.body.toString('utf8'));
    expect(whole).toMatchObject({ token_type: 'Bearer', expires_in: 3600, scope: 'search' });
    expect(whole.access_token).toBe(answer.data.access_token);
  });

  it('answers a wrong secret in a form with a challenge and the envelope alone', async () => {
    const { status, headers, body } = await house.call('createToken', {
      body: `grant_type=client_credentials&client_id=${client.clientId}&client_secret=wrong`,
      headers: FORM,
    });
    expect(status).toBe(401);
    expect(headers['www-authenticate']).toBe('Basic realm="stave"');
    expect(Object.keys(JSON.parse(body.toString('utf8')))).toEqual(['data', 'error']);
  });

  it('gives tokens that end after an hour', async () => {
    const token = await client.token({ fresh: true });
    house.clock.turn(3590);
    expect((await house.call('readMe', { token })).status).toBe(200);
    house.clock.turn(10);
    const { status, headers } = await house.call('readMe', { token });
    expect(status).toBe(401);
    expect(headers['www-authenticate']).toContain('error="invalid_token"');
  });
});
