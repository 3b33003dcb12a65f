import { SignJWT } from 'jose';
import type { Mode, Scope } from '../../common/caller.ts';
import type { Clock } from '../../common/clock.ts';
import { newId } from '../../common/ids.ts';
import type { KeyRing } from './key-ring.ts';
import type { RegisteredClient } from './registry.ts';
import { keyObject } from './token-key.ts';

/** The lifetime of an access token (docs/contract/authentication.md#access-tokens). */
export const TOKEN_SECONDS = 3600;

/** RFC 9068 §2.1. */
export const TOKEN_TYPE = 'at+jwt';
/** See docs/adr/0002-access-tokens.md. */
export const TOKEN_ALGORITHM = 'HS256';
/** The issuer is a name and not an address, so that tokens stay valid when the address changes. */
export const TOKEN_ISSUER = 'stave';
/** Stave issues tokens only for itself. */
export const TOKEN_AUDIENCE = 'stave';

/**
 * Signs access tokens: JWTs in the profile of RFC 9068. They contain client, scopes, `mode`, secret (`sid`),
 * and the `seq` of the change that last disabled the client (`dis`), so that a later one invalidates them.
 */
export class TokenIssuer {
  readonly #keyRing: KeyRing;
  readonly #clock: Clock;

  constructor(deps: { keyRing: KeyRing; clock: Clock }) {
    this.#keyRing = deps.keyRing;
    this.#clock = deps.clock;
  }

  /**
   * Issues a token that is valid for 3,600 s from the current second. The scopes are not checked. The order
   * of the members is a part of the form: `TokenVerifier` accepts no other.
   */
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
