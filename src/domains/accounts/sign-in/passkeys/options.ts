import type {
  PublicKeyCredentialCreationOptionsJSON as CreationOptions,
  PublicKeyCredentialRequestOptionsJSON as RequestOptions,
} from '@simplewebauthn/server'
import type { User } from '../../users/user.store.ts'
import { CHALLENGE_MS } from './challenges.ts'
import type { Passkey } from './passkey.store.ts'
import type { RelyingParty } from './relying-party.ts'

export type { CreationOptions, RequestOptions }

/** EdDSA, ECDSA on P-256 with SHA-256, RSA PKCS#1 with SHA-256. */
const ALGORITHMS = [-8, -7, -257]

/** The argument of `navigator.credentials.create`. */
export function creationOptions({
  rp,
  user,
  handle,
  present,
  challenge,
}: {
  readonly rp: RelyingParty
  readonly user: Pick<User, 'name' | 'fullName'>
  readonly handle: string
  readonly present: readonly Passkey[]
  readonly challenge: string
}): CreationOptions {
  return {
    challenge,
    rp: { id: rp.id, name: rp.id },
    user: { id: handle, name: user.name, displayName: user.fullName || user.name },
    pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
    timeout: CHALLENGE_MS,
    attestation: 'none',
    excludeCredentials: present.map(describe),
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
  }
}

/** The argument of `navigator.credentials.get`; without `allowed` the authenticator offers what it has. */
export function requestOptions({
  rp,
  challenge,
  allowed,
}: {
  readonly rp: RelyingParty
  readonly challenge: string
  readonly allowed: readonly Passkey[]
}): RequestOptions {
  return {
    challenge,
    rpId: rp.id,
    timeout: CHALLENGE_MS,
    userVerification: allowed.length === 0 ? 'required' : 'preferred',
    allowCredentials: allowed.map(describe),
  }
}

type Descriptor = NonNullable<RequestOptions['allowCredentials']>[number]

const describe = ({ credentialId, transports }: Passkey): Descriptor => ({
  type: 'public-key',
  id: credentialId,
  transports: [...transports] as NonNullable<Descriptor['transports']>,
})
