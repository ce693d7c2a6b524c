import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import type { RelyingParty } from './relying-party.ts'

/** The credential that the authenticator registered. */
export interface NewCredential {
  readonly id: string
  /** COSE key, in base64url. */
  readonly publicKey: string
  readonly signCount: number
  readonly transports: readonly string[]
}

/** A response of an authenticator, or the reason why it is refused. */
export type Verified<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly reason: string }

export interface Expected {
  readonly challenge: string
  readonly party: RelyingParty
}

const MAX_RESPONSE = 16 * 1024
/** A credential id in base64url; the specification allows at most 1023 bytes. */
const CREDENTIAL_ID = /^[A-Za-z0-9_-]{1,1364}$/
const MAX_PUBLIC_KEY = 4096
const MAX_TRANSPORTS = 8
const TRANSPORT = /^[a-z-]{1,20}$/

/** A response of `navigator.credentials` as JSON; undefined for anything else. */
export function parseResponse<T extends RegistrationResponseJSON | AuthenticationResponseJSON>(
  text: string,
): T | undefined {
  if (text.length > MAX_RESPONSE) return undefined
  try {
    const value = JSON.parse(text) as Partial<T> | null
    const isResponse = typeof value?.id === 'string' && CREDENTIAL_ID.test(value.id)
    return isResponse && typeof value.response === 'object' && value.response !== null ? (value as T) : undefined
  } catch {
    return undefined
  }
}

/** NOTE: the library takes half a second to load, so it is loaded with the first response. */
export async function verifyRegistration(
  text: string,
  { challenge, party }: Expected,
): Promise<Verified<NewCredential>> {
  const response = parseResponse<RegistrationResponseJSON>(text)
  if (response === undefined) return { ok: false, reason: 'not a response of an authenticator' }
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server')
  return refusingErrors(async () => {
    await requireOwnFrame(response)
    await requireNoCertificates(response)
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: false,
    })
    if (!verified) throw new Error('the attestation does not verify')
    const { id, publicKey, counter } = registrationInfo.credential
    if (!CREDENTIAL_ID.test(id) || publicKey.length > MAX_PUBLIC_KEY) throw new Error('the credential is too large')
    return {
      id,
      publicKey: Buffer.from(publicKey).toString('base64url'),
      signCount: counter,
      transports: transportsOf(response),
    }
  })
}

/** The library checks this only for browsers that name the outer site. */
async function requireOwnFrame({ response }: RegistrationResponseJSON | AuthenticationResponseJSON): Promise<void> {
  const { decodeClientDataJSON } = await import('@simplewebauthn/server/helpers')
  if (decodeClientDataJSON(response.clientDataJSON).crossOrigin === true)
    throw new Error('the response was made in a frame of another site')
}

/**
 * NOTE: the library requests lists of revoked certificates from addresses in the certificates of an attestation. This
 * server asks for no attestation, so browsers send no certificates.
 */
async function requireNoCertificates({ response }: RegistrationResponseJSON): Promise<void> {
  const { decodeAttestationObject } = await import('@simplewebauthn/server/helpers')
  const attestation = decodeAttestationObject(new Uint8Array(Buffer.from(response.attestationObject, 'base64url')))
  const format = attestation.get('fmt')
  if (format === 'none' || (format === 'packed' && attestation.get('attStmt').get('x5c') === undefined)) return
  throw new Error(`unexpected attestation ${String(format)}`)
}

function transportsOf({ response: { transports } }: RegistrationResponseJSON): string[] {
  if (!Array.isArray(transports)) return []
  return transports.slice(0, MAX_TRANSPORTS).filter((name) => typeof name === 'string' && TRANSPORT.test(name))
}

interface Signer {
  readonly credentialId: string
  readonly publicKey: string
  readonly signCount: number
}

/** Checks the signature of a registered passkey; the value is the new number of its signatures. */
export async function verifyAssertion(
  response: AuthenticationResponseJSON,
  { credentialId, publicKey, signCount }: Signer,
  { challenge, party, userVerification }: Expected & { readonly userVerification: boolean },
): Promise<Verified<number>> {
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server')
  return refusingErrors(async () => {
    await requireOwnFrame(response)
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      credential: {
        id: credentialId,
        publicKey: new Uint8Array(Buffer.from(publicKey, 'base64url')),
        counter: signCount,
      },
      requireUserVerification: userVerification,
    })
    if (!verified) throw new Error('the signature does not verify')
    return authenticationInfo.newCounter
  })
}

/** The library throws for every response that it refuses. */
async function refusingErrors<T>(verify: () => Promise<T>): Promise<Verified<T>> {
  try {
    return { ok: true, value: await verify() }
  } catch (error) {
    return { ok: false, reason: error instanceof Error ? error.message : String(error) }
  }
}
