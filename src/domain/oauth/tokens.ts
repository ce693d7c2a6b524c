import { createPublicKey } from 'node:crypto'
import type { Clock } from '../../platform/clock.ts'
import { asId, type OauthChainId, type OauthGrantId } from '../../platform/ids.ts'
import { SIGNING_ALGORITHM, type SigningKey } from './signing-key.ts'

const ACCESS = 0
const REFRESH = 1

/** What a token says; whether it still counts is asked of the database. */
export interface TokenClaims {
  readonly kind: 'access' | 'refresh'
  readonly grantId: OauthGrantId
  readonly chainId: OauthChainId
  readonly counter: number
}

export interface TokenSigner {
  /** `lifetime` in seconds. */
  sign(claims: TokenClaims, lifetime: number): Promise<string>
  signIdToken(claims: Readonly<Record<string, unknown>>, lifetime: number): Promise<string>
  /** Undefined for a token that is not ours, of another kind or over. */
  verify(token: string): Promise<TokenClaims | undefined>
}

const MAX_TOKEN_LENGTH = 32_767

/** JSON Web Tokens. NOTE: the library is loaded only where there are any. */
export function createTokenSigner({ key, clock }: { key: () => Promise<SigningKey>; clock: Clock }): TokenSigner {
  const seconds = (): number => Math.floor(clock.now() / 1000)
  const signClaims = async (claims: Readonly<Record<string, unknown>>, lifetime: number): Promise<string> => {
    const { SignJWT } = await import('jose')
    const { id, privateKey } = await key()
    const now = seconds()
    return new SignJWT({ ...claims }).setProtectedHeader({ alg: SIGNING_ALGORITHM, kid: id, typ: 'JWT' }).setIssuedAt(now).setExpirationTime(now + lifetime).sign(privateKey)
  }
  return {
    sign: ({ kind, grantId, chainId, counter }, lifetime) =>
      signClaims({ gnt: grantId, tt: kind === 'access' ? ACCESS : REFRESH, chn: chainId, ...(counter > 0 && { cnt: counter }) }, lifetime),
    signIdToken: signClaims,
    async verify(token) {
      if (token.length > MAX_TOKEN_LENGTH || token.split('.').length !== 3) return undefined
      const { errors, jwtVerify } = await import('jose')
      const { publicKey } = await key()
      try {
        const { payload } = await jwtVerify(token, createPublicKey({ key: { ...publicKey }, format: 'jwk' }), { algorithms: [SIGNING_ALGORITHM], currentDate: new Date(clock.now()) })
        return readClaims(payload)
      } catch (error) {
        if (error instanceof errors.JOSEError) return undefined
        throw error
      }
    },
  }
}

/** NOTE: an id token is signed with the same key and must not pass for an access token. */
function readClaims({ gnt, tt, chn, cnt = 0 }: Readonly<Record<string, unknown>>): TokenClaims | undefined {
  if (typeof gnt !== 'number' || typeof chn !== 'number' || typeof cnt !== 'number' || (tt !== ACCESS && tt !== REFRESH)) return undefined
  return { kind: tt === ACCESS ? 'access' : 'refresh', grantId: asId(gnt), chainId: asId(chn), counter: cnt }
}
