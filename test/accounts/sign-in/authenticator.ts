import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/server'
import { isoCBOR } from '@simplewebauthn/server/helpers'
import type { Browser } from '../../harness/browser.ts'

type CreationOptions = Pick<PublicKeyCredentialCreationOptionsJSON, 'challenge' | 'user' | 'rp'>
type RequestOptions = PublicKeyCredentialRequestOptionsJSON
type Algorithm = 'P-256' | 'Ed25519'

/** What an authenticator or its browser does other than usual. */
interface Ways {
  readonly origin?: string
  readonly rpId?: string
  readonly verifiesUser?: boolean
  readonly counter?: number
  readonly crossOrigin?: boolean
  readonly userHandle?: string
  /** In place of attestation `none`. */
  readonly attestation?: { readonly fmt: string; readonly attStmt: Map<string, unknown> }
  /** In place of the challenge of the page. */
  readonly challenge?: string
}

interface Credential {
  readonly id: Buffer
  readonly key: KeyObject
  readonly algorithm: Algorithm
  readonly userHandle: string
  readonly publicKey: Map<number, number | Uint8Array>
}

const PRESENT = 0x01
const VERIFIED = 0x04
const HAS_CREDENTIAL = 0x40

const hashOf = (data: string | Buffer): Buffer => createHash('sha256').update(data).digest()

/** An authenticator in software, for the pages of the server at `origin`. */
export class Authenticator {
  readonly #origin: string
  readonly #algorithm: Algorithm
  readonly #credentials = new Map<string, Credential>()
  /** 0: does not count signatures. */
  counter = 0

  constructor(origin: string, algorithm: Algorithm = 'P-256') {
    this.#origin = origin
    this.#algorithm = algorithm
  }

  /** Like `navigator.credentials.create`; returns JSON. */
  create(options: CreationOptions, ways: Ways = {}): string {
    const credential = newCredential(this.#algorithm, options.user.id)
    this.#credentials.set(credential.id.toString('base64url'), credential)
    const { id } = credential
    const length = Buffer.alloc(2)
    length.writeUInt16BE(id.length)
    const authData = Buffer.concat([
      this.#authData(options.rp.id!, HAS_CREDENTIAL, ways),
      Buffer.alloc(16),
      length,
      id,
      isoCBOR.encode(credential.publicKey),
    ])
    const { fmt, attStmt } = ways.attestation ?? { fmt: 'none', attStmt: new Map() }
    const attestation = new Map<string, unknown>([
      ['fmt', fmt],
      ['attStmt', attStmt],
      ['authData', new Uint8Array(authData)],
    ])
    return responseJson(id, {
      clientDataJSON: this.#clientData('webauthn.create', options.challenge, ways).toString('base64url'),
      attestationObject: Buffer.from(isoCBOR.encode(attestation as never)).toString('base64url'),
      transports: ['internal', 'hybrid'],
    })
  }

  /** Like `navigator.credentials.get`; returns JSON. */
  get(options: RequestOptions, ways: Ways = {}): string {
    const allowed: string[] = (options.allowCredentials ?? []).map(({ id }) => id)
    const credential =
      [...this.#credentials.values()].find(({ id }) => allowed.includes(id.toString('base64url'))) ??
      [...this.#credentials.values()].at(-1)!
    if (this.counter > 0) this.counter++
    const authData = this.#authData(options.rpId!, 0, ways)
    const clientData = this.#clientData('webauthn.get', options.challenge, ways)
    const signed = Buffer.concat([authData, hashOf(clientData)])
    return responseJson(credential.id, {
      clientDataJSON: clientData.toString('base64url'),
      authenticatorData: authData.toString('base64url'),
      signature: sign(credential.algorithm === 'P-256' ? 'sha256' : null, signed, credential.key).toString('base64url'),
      userHandle: ways.userHandle ?? credential.userHandle,
    })
  }

  #authData(rpId: string, flags: number, { rpId: other = rpId, verifiesUser = true, counter }: Ways): Buffer {
    const rest = Buffer.alloc(5)
    rest.writeUInt8(PRESENT | flags | (verifiesUser ? VERIFIED : 0))
    rest.writeUInt32BE(counter ?? this.counter, 1)
    return Buffer.concat([hashOf(other), rest])
  }

  #clientData(type: string, offered: string, { origin, challenge, crossOrigin = false }: Ways): Buffer {
    return Buffer.from(
      JSON.stringify({ type, challenge: challenge ?? offered, origin: origin ?? this.#origin, crossOrigin }),
    )
  }
}

function newCredential(algorithm: Algorithm, userHandle: string): Credential {
  const { privateKey, publicKey } =
    algorithm === 'P-256' ? generateKeyPairSync('ec', { namedCurve: 'P-256' }) : generateKeyPairSync('ed25519')
  const { x, y } = publicKey.export({ format: 'jwk' })
  const bytes = (text: string | undefined): Uint8Array => new Uint8Array(Buffer.from(text!, 'base64url'))
  const cose = new Map<number, number | Uint8Array>(
    algorithm === 'P-256'
      ? [
          [1, 2],
          [3, -7],
          [-1, 1],
          [-2, bytes(x)],
          [-3, bytes(y)],
        ]
      : [
          [1, 1],
          [3, -8],
          [-1, 6],
          [-2, bytes(x)],
        ],
  )
  return { id: randomBytes(32), key: privateKey, algorithm, userHandle, publicKey: cose }
}

const responseJson = (id: Buffer, response: object): string =>
  JSON.stringify({
    id: id.toString('base64url'),
    rawId: id.toString('base64url'),
    type: 'public-key',
    clientExtensionResults: {},
    response,
  })

/** The options that the page gives to its script. */
export function offeredOptions({ page }: Browser): unknown {
  const options = /data-options="([^"]*)"/.exec(page.text)?.[1]
  return options && JSON.parse(options.replaceAll('&quot;', '"').replaceAll('&amp;', '&'))
}

export const creationOptions = (browser: Browser) => offeredOptions(browser) as PublicKeyCredentialCreationOptionsJSON
export const requestOptions = (browser: Browser) => offeredOptions(browser) as RequestOptions

/** The number of the form with the button. */
export const passkeyForm = ({ page }: Browser): number =>
  page.forms.findIndex(({ fields }) => fields['passkey_ticket'] !== undefined)
