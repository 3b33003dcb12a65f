import { SignJWT } from 'jose';
import type { Clock } from '../kernel/clock.ts';
import { newId } from '../kernel/ids.ts';
import type { Mode, Scope } from './client.ts';
import type { KeyRing } from './key-ring.ts';
import type { RegisteredClient } from './registry.ts';
import { keyObject } from './token-key.ts';

/** Life of an access token (specification, Limits). */
export const TOKEN_SECONDS = 3600;

/** RFC 9068 §2.1. */
export const TOKEN_TYPE = 'at+jwt';
/** See docs/adr/0002-access-tokens.md. */
export const TOKEN_ALGORITHM = 'HS256';
/** A name and not an address, so that tokens outlive a change of it. */
export const TOKEN_ISSUER = 'stave';
/** Stave issues tokens for itself alone. */
export const TOKEN_AUDIENCE = 'stave';

/**
 * Signs access tokens: JWTs in the profile of RFC 9068, which name client, scopes, `mode`, secret
 * (`sid`), and the change that disabled the client last (`dis`), so that a later one ends them.
 */
export class TokenIssuer {
  readonly #keyRing: KeyRing;
  readonly #clock: Clock;

  constructor(deps: { keyRing: KeyRing; clock: Clock }) {
    this.#keyRing = deps.keyRing;
    this.#clock = deps.clock;
  }

  /** A token that lives 3,600 s from the current second. The scopes go in as they are given. */
  async issue(grant: {
    client: RegisteredClient;
    secretId: string;
    mode: Mode;
    scopes: readonly Scope[];
  }): Promise<string> {
    const key = this.#keyRing.signing('token');
    const issuedAt = Math.floor(this.#clock.now() / 1000);
    return new SignJWT({
      client_id: grant.client.id,
      scope: grant.scopes.join(' '),
      mode: grant.mode,
      sid: grant.secretId,
      dis: grant.client.lastDisabledSeq,
    })
      .setProtectedHeader({ alg: TOKEN_ALGORITHM, typ: TOKEN_TYPE, kid: key.id })
      .setIssuer(TOKEN_ISSUER)
      .setAudience(TOKEN_AUDIENCE)
      .setSubject(grant.client.id)
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + TOKEN_SECONDS)
      .setJti(newId())
      .sign(keyObject(key));
  }
}
