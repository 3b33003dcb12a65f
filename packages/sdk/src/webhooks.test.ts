import { Webhook } from 'standardwebhooks';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { verifyWebhook } from './webhooks.ts';

const SECRET = `whsec_${Buffer.from('a secret of 24 characters').toString('base64')}`;
const BODY = JSON.stringify({
  type: 'webhook.ping',
  timestamp: '2026-11-21T10:00:00.123Z',
  data: {},
});

/** The time stands still: a slow machine must not bring a message of the future into the tolerated time. */
vi.useFakeTimers({ toFake: ['Date'] });
const NOW = new Date();

function signed({ secret = SECRET, at = NOW, body = BODY } = {}) {
  return {
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': new Webhook(secret).sign('msg_1', at, body),
  };
}

describe('verifyWebhook', () => {
  it('accepts what the reference library has signed', async () => {
    const message = { body: BODY, headers: signed(), secret: SECRET };
    await expect(verifyWebhook(message)).resolves.toEqual(JSON.parse(BODY));
    const bytes = {
      ...message,
      body: new TextEncoder().encode(BODY),
      headers: new Headers(signed()),
    };
    await expect(verifyWebhook(bytes)).resolves.toMatchObject({ type: 'webhook.ping' });
  });

  it('accepts either of two secrets, and any of several signatures', async () => {
    const other = `whsec_${Buffer.from('another one, also long').toString('base64')}`;
    await verifyWebhook({ body: BODY, headers: signed(), secret: [other, SECRET] });
    const both = `${signed({ secret: other })['webhook-signature']} ${signed()['webhook-signature']}`;
    await verifyWebhook({
      body: BODY,
      headers: { ...signed(), 'webhook-signature': both },
      secret: SECRET,
    });
  });

  it('finds the headers in any case, and as lists of one', async () => {
    const named = Object.entries(signed()).map(([name, value]) => [name.toUpperCase(), [value]]);
    const headers = Object.fromEntries(named) as Record<string, string[]>;
    await verifyWebhook({ body: BODY, headers, secret: SECRET });
    const twice = { ...headers, 'webhook-id': 'msg_1' };
    const refused = verifyWebhook({ body: BODY, headers: twice, secret: SECRET });
    await expect(refused).rejects.toThrow('webhook-id is missing, or comes twice');
  });

  it('computes one signature, however many a stranger sends', async () => {
    const sign = vi.spyOn(crypto.subtle, 'sign');
    onTestFinished(() => sign.mockRestore());
    const wrong = `v1,${Buffer.alloc(32).toString('base64')}`;
    const right = signed();
    const many = Array.from({ length: 1_000 }, () => wrong).join(' ');
    const headers = { ...right, 'webhook-signature': `${many} ${right['webhook-signature']}` };
    await verifyWebhook({ body: BODY, headers, secret: SECRET });
    expect(sign).toHaveBeenCalledTimes(1);
  });

  it.each([
    ['an empty secret', { secret: '' }],
    ['a secret that is null', { secret: null as unknown as string }],
    ['a secret that is not set', { secret: undefined as unknown as string }],
    ['a secret that is not base64', { secret: 'whsec_%' }],
    ['a body that was parsed', { body: JSON.parse(BODY) }],
  ])('throws a TypeError for %s, which the application must correct', async (_, change) => {
    const message = { body: BODY, headers: signed(), secret: SECRET, ...change };
    await expect(verifyWebhook(message)).rejects.toThrow(TypeError);
  });

  it.each([
    ['another body', { body: `${BODY} ` }],
    ['another secret', { secret: 'whsec_AAAA' }],
    ['a shorter signature', { headers: { ...signed(), 'webhook-signature': 'v1,AAAA' } }],
    ['no secret at all', { secret: [] }],
    ['another id', { headers: { ...signed(), 'webhook-id': 'msg_2' } }],
    ['an old message', { headers: signed({ at: new Date(Date.now() - 301_000) }) }],
    ['a message of the future', { headers: signed({ at: new Date(Date.now() + 302_000) }) }],
    ['no time', { headers: { ...signed(), 'webhook-timestamp': 'soon' } }],
    ['no signature', { headers: { ...signed(), 'webhook-signature': '' } }],
    ['a signature that is not base64', { headers: { ...signed(), 'webhook-signature': 'v1,%%' } }],
    [
      'a signature of another version',
      {
        headers: {
          ...signed(),
          'webhook-signature': signed()['webhook-signature'].replace('v1', 'v2'),
        },
      },
    ],
    ['a missing header', { headers: { 'webhook-id': 'msg_1' } }],
  ])('refuses %s', async (_, change) => {
    const message = { body: BODY, headers: signed(), secret: SECRET, ...change };
    await expect(verifyWebhook(message)).rejects.toMatchObject({ name: 'StaveSignatureError' });
  });
});
