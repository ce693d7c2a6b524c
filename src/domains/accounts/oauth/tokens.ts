import { createSecretKey, type KeyObject } from 'node:crypto'
import type { Clock } from '../../../core/platform/clock.ts'
import { asId, type OauthChainId, type OauthGrantId } from '../../../core/platform/crypto/ids.ts'
import { isSymmetric, type SigningAlgorithm, type SigningKey } from './signing-keys/signing-key.ts'

const ACCESS = 0
const REFRESH = 1

/** The claims of a token. Callers check in the database whether its grant still exists. */
export interface TokenClaims {
  readonly kind: 'access' | 'refresh'
  readonly grantId: OauthGrantId
  readonly chainId: OauthChainId
  readonly counter: number
}

export interface TokenSignerDeps {
  readonly clock: Clock
  readonly algorithm: SigningAlgorithm
  /** Maximum length of an accepted token, in characters. */
  readonly maxLength: number
  key(): Promise<SigningKey>
}

export type TokenSigner = ReturnType<typeof createTokenSigner>

/** Signs and verifies JSON Web Tokens. NOTE: the library is loaded at the first use. */
export function createTokenSigner({ key, clock, algorithm, maxLength }: TokenSignerDeps) {
  const signClaims = async (
    claims: Readonly<Record<string, unknown>>,
    lifetime: number,
    { signing, id }: { signing: KeyObject; id?: string },
  ): Promise<string> => {
    const { SignJWT } = await import('jose')
    const now = Math.floor(clock.now() / 1000)
    const header = { alg: algorithm, ...(id !== undefined && { kid: id }), typ: 'JWT' }
    return new SignJWT({ ...claims })
      .setProtectedHeader(header)
      .setIssuedAt(now)
      .setExpirationTime(now + lifetime)
      .sign(signing)
  }
  return {
    /** `lifetime` in seconds. */
    sign: async ({ kind, grantId, chainId, counter }: TokenClaims, lifetime: number): Promise<string> =>
      signClaims(
        { gnt: grantId, tt: kind === 'access' ? ACCESS : REFRESH, chn: chainId, ...(counter > 0 && { cnt: counter }) },
        lifetime,
        await key(),
      ),
    /**
     * With a symmetric algorithm the client verifies with its own secret (OpenID Connect Core §10.1); undefined for a
     * client without a secret.
     */
    async signIdToken(
      claims: Readonly<Record<string, unknown>>,
      lifetime: number,
      clientSecret: string,
    ): Promise<string | undefined> {
      if (!isSymmetric(algorithm)) return signClaims(claims, lifetime, await key())
      return clientSecret === ''
        ? undefined
        : signClaims(claims, lifetime, { signing: createSecretKey(clientSecret, 'utf8') })
    },
    /** Undefined for a token of another issuer or kind, or an expired one. */
    async verify(token: string): Promise<TokenClaims | undefined> {
      if (token.length > maxLength || token.split('.').length !== 3) return undefined
      const { errors, jwtVerify } = await import('jose')
      const { verifying } = await key()
      try {
        const { payload } = await jwtVerify(token, verifying, {
          algorithms: [algorithm],
          currentDate: new Date(clock.now()),
        })
        return readClaims(payload)
      } catch (error) {
        if (error instanceof errors.JOSEError) return undefined
        throw error
      }
    },
  }
}

/** NOTE: id tokens are signed with the same key and must not be accepted as access tokens. */
function readClaims({ gnt, tt, chn, cnt = 0 }: Readonly<Record<string, unknown>>): TokenClaims | undefined {
  if (
    typeof gnt !== 'number' ||
    typeof chn !== 'number' ||
    typeof cnt !== 'number' ||
    (tt !== ACCESS && tt !== REFRESH)
  )
    return undefined
  return { kind: tt === ACCESS ? 'access' : 'refresh', grantId: asId(gnt), chainId: asId(chn), counter: cnt }
}
