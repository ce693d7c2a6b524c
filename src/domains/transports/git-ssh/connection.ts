import type { AuthContext, Connection, PublicKeyAuthContext, ServerChannel, Session, utils as SshUtils } from 'ssh2'
import type { RequestClient, RequestCredential } from '../../../core/platform/request-source.ts'
import type { FailedAttempt, KeyHolder, SourcedActor } from '../../accounts/index.ts'
import { serveSession, type SshServices } from './session.ts'
import { framed, verifySshBlob } from '../../../core/platform/ssh/signature.ts'
import { parseSshPublicKey, sshFingerprint, SshKeyError } from '../../../core/platform/ssh/key.ts'

/** What the library leaves to its caller: an offered key with, in the second step, its signature over the session. */
export interface OfferedKey {
  readonly key: { readonly algo: string; readonly data: Buffer }
  /** Of RSA keys, when the client names one. */
  readonly hashAlgo?: string | undefined
  readonly signature?: Buffer | undefined
  /** What is signed. */
  readonly blob?: Buffer | undefined
}

/** `SHA256:...` of the key a client offers. */
const offeredFingerprint = ({ key }: OfferedKey): string => sshFingerprint(key.data)

/** Kinds of keys that cannot be registered: DSA and unknown ones. */
const isUnknownKind = (offered: OfferedKey): boolean => !KINDS.has(offered.key.algo) && !isCertificate(offered)

const isCertificate = ({ key }: OfferedKey): boolean => key.algo.endsWith('-cert-v01@openssh.com')

/**
 * The algorithm name that the client sent, which the answer to an offer repeats (RFC 4252 §7); the library has the
 * key's own name.
 */
const requestedAlgorithm = ({ key, hashAlgo }: OfferedKey): string =>
  key.algo === 'ssh-rsa' && hashAlgo !== undefined ? hashAlgo.replace('sha', 'rsa-sha2-') : key.algo

/**
 * As `provesPossession`, for the key within a certificate. NOTE: of these the library leaves the signature as it is.
 */
const provesCertified = ({ signature, blob }: OfferedKey, key: Buffer): boolean =>
  signature === undefined || (blob !== undefined && verifySshBlob(key, signature, blob))

/**
 * True for a mere offer (the client asks whether the key would do) and for a right signature over this very session.
 */
export function provesPossession(offered: OfferedKey, utils: typeof SshUtils): boolean {
  if (!KINDS.has(offered.key.algo)) return false
  if (SECURITY_KEYS.has(offered.key.algo)) return securityKeyProves(offered)
  const { key, signature, blob, hashAlgo } = offered
  const parsed = utils.parseKey(`${key.algo} ${key.data.toString('base64')}`)
  if (parsed instanceof Error || Array.isArray(parsed)) return false
  // NOTE: RSA without a hash algorithm would be the old SHA-1 signature.
  if (parsed.type === 'ssh-rsa' && hashAlgo === undefined) return false
  if (signature === undefined) return true
  return blob !== undefined && parsed.verify(blob, signature, hashAlgo) === true
}

const SECURITY_KEYS = new Set(['sk-ssh-ed25519@openssh.com', 'sk-ecdsa-sha2-nistp256@openssh.com'])
const KINDS = new Set([
  ...SECURITY_KEYS,
  'ssh-ed25519',
  'ssh-rsa',
  'ecdsa-sha2-nistp256',
  'ecdsa-sha2-nistp384',
  'ecdsa-sha2-nistp521',
])
/** One byte of flags, four of the counter. */
const TOKEN_STATE_BYTES = 5

/**
 * The library has no support for keys on hardware tokens (`sk-*`): they are checked here, and a user must have touched
 * the token.
 */
function securityKeyProves({ key, signature, blob }: OfferedKey): boolean {
  if (!isReadable(key)) return false
  if (signature === undefined) return true
  if (blob === undefined || signature.length < TOKEN_STATE_BYTES) return false
  // NOTE: the library has taken off the algorithm (where it is that of the key) and the length; both are put back.
  const bare = signature.subarray(0, -TOKEN_STATE_BYTES)
  return verifySshBlob(
    key.data,
    Buffer.concat([framed(key.algo), framed(bare), signature.subarray(-TOKEN_STATE_BYTES)]),
    blob,
  )
}

function isReadable({ algo, data }: OfferedKey['key']): boolean {
  try {
    return parseSshPublicKey(`${algo} ${data.toString('base64')}`).algorithm === algo
  } catch (error) {
    if (error instanceof SshKeyError) return false
    throw error
  }
}

/** What clients may sign with. DSA and RSA with SHA-1 are refused, so that clients do not try them. */
const SIGNATURE_ALGORITHMS = [
  'ssh-ed25519',
  'sk-ssh-ed25519@openssh.com',
  'sk-ecdsa-sha2-nistp256@openssh.com',
  'ecdsa-sha2-nistp256',
  'ecdsa-sha2-nistp384',
  'ecdsa-sha2-nistp521',
  'rsa-sha2-512',
  'rsa-sha2-256',
]
const EXT_INFO = 7

/** The part of the library's connection that this file reaches into (ssh2 1.17, pinned). */
interface Internals {
  readonly _protocol: {
    _onHandshakeComplete(...negotiated: unknown[]): void
    readonly _kex: { remoteExtInfoEnabled: boolean }
    readonly _packetRW: {
      readonly write: { readonly allocStart: number; alloc(length: number): Buffer; finalize(packet: Buffer): Buffer }
    }
    readonly _cipher: { encrypt(packet: Buffer): void }
  }
}

/**
 * Announces the signature algorithms to a client (RFC 8308 §3.1) in place of the library, whose list lacks a comma, so
 * that clients which sign with rsa-sha2-512 alone found no algorithm. Called before the key exchange.
 */
function announceSignatureAlgorithms(connection: Connection): void {
  const { _protocol: protocol } = connection as unknown as Internals
  const complete = protocol._onHandshakeComplete
  protocol._onHandshakeComplete = (...negotiated) => {
    if (protocol._kex.remoteExtInfoEnabled) {
      protocol._kex.remoteExtInfoEnabled = false
      sendExtensions(protocol)
    }
    protocol._onHandshakeComplete = complete
    complete(...negotiated)
  }
}

function sendExtensions({ _packetRW: { write }, _cipher: cipher }: Internals['_protocol']): void {
  const payload = Buffer.concat([
    Buffer.of(EXT_INFO, 0, 0, 0, 1),
    framed('server-sig-algs'),
    framed(SIGNATURE_ALGORITHMS.join(',')),
  ])
  const packet = write.alloc(payload.length)
  packet.set(payload, write.allocStart)
  cipher.encrypt(write.finalize(packet))
}

export interface ConnectionOptions {
  readonly services: SshServices
  readonly utils: typeof SshUtils
  /** The user name of every client. */
  readonly user: string
  /** The address and software of the client. */
  readonly source: RequestClient
  /** Called once when the client has proven who it is. */
  readonly onSignedIn: () => void
  /** Called with every session that begins; settles with its end. */
  readonly onSession: (served: Promise<void>) => void
}

/** Keys a client may offer before it is disconnected: an agent may have a few. */
const MAX_TRIES = 20
/** Sessions open at once on one connection (multiplexing clients). */
const MAX_SESSIONS = 10
const MAX_PROTOCOL_LENGTH = 100
const MAX_KIND_LENGTH = 64

/** One client from its sign-in to its end: public keys only, one user name, no shell, no forwarding. */
export function handleConnection(client: Connection, options: ConnectionOptions): void {
  const gone = new AbortController()
  let holder: KeyHolder | undefined
  let tries = 0
  let sessions = 0
  let isSignedIn = false

  announceSignatureAlgorithms(client)
  client.on('error', () => client.end()) // NOTE: a broken connection ends; its sessions see that by the signal.
  client.on('close', () => {
    gone.abort()
    if (tries > 0 && !isSignedIn) options.services.signInRecords.failed(failedAttempt(options.source))
  })
  client.on('authentication', (context) => {
    if (context.method !== 'none' && ++tries > MAX_TRIES) return client.end()
    authenticate(context, options).then(
      (found) => {
        if (found === undefined) return context.reject(['publickey'])
        holder = found
        // NOTE: older clients in Go take no other name than the one they sent.
        if (context.method === 'publickey' && context.signature === undefined)
          context.key.algo = requestedAlgorithm(context)
        context.accept()
      },
      (error: unknown) => {
        options.services.log.error({ err: error }, 'SSH sign-in failed')
        context.reject(['publickey'])
      },
    )
  })
  client.on('ready', () => {
    isSignedIn = true
    if (holder !== undefined) options.services.signInRecords.accepted(actorOfKey(holder, options.source))
    options.onSignedIn()
  })
  client.on('session', (accept, reject) => {
    if (holder === undefined || sessions >= MAX_SESSIONS) return reject()
    sessions++
    const session = accept()
    session.on('close', () => sessions--)
    handleSession(session, { holder, signal: gone.signal, ...options })
  })
}

/** NOTE: clients offer key after key, so one connection without a right one is one attempt. */
const failedAttempt = (client: RequestClient): FailedAttempt => ({ client, kind: 'ssh-key', userId: 0 })

/** The user of a key; a deploy key acts for no account. */
function actorOfKey(holder: KeyHolder, client: RequestClient): SourcedActor {
  if (holder.kind === 'deploy')
    return { account: { id: 0 }, source: { ...client, credential: { kind: 'deploy-key', id: holder.grants[0].id } } }
  const { kind, id } = holder.key
  const credential: RequestCredential =
    kind === 'certificate' ? { kind: 'ssh-certificate', id: 0 } : { kind: 'ssh-key', id }
  return { account: holder.user, source: { ...client, credential } }
}

async function authenticate(
  context: AuthContext,
  { services, utils, user }: ConnectionOptions,
): Promise<KeyHolder | undefined> {
  if (context.method !== 'publickey' || context.username !== user) return undefined
  if (isCertificate(context)) return authenticateCertified(context, services)
  if (isUnknownKind(context))
    services.log.info(
      { kind: context.key.algo.slice(0, MAX_KIND_LENGTH) },
      'an SSH client offered a kind of key that is not taken',
    )
  if (!provesPossession(context, utils)) return undefined
  return services.keyLogins.find(offeredFingerprint(context))
}

/**
 * NOTE: clients offer a certificate before the key itself; without the line in the log it would be unknown why one is
 * refused.
 */
async function authenticateCertified(
  context: PublicKeyAuthContext,
  { keyLogins, log }: SshServices,
): Promise<KeyHolder | undefined> {
  const certified = await keyLogins.findCertified(context.key.data)
  if (certified === undefined)
    log.info(
      'an SSH client offered a certificate that is not accepted: not of a trusted authority, not for these users, ' +
        'not now, or with conditions',
    )
  return certified !== undefined && provesCertified(context, certified.key) ? certified.holder : undefined
}

interface SessionOptions extends ConnectionOptions {
  readonly holder: KeyHolder
  readonly signal: AbortSignal
}

function handleSession(session: Session, { services, holder, signal, onSession }: SessionOptions): void {
  let protocol: string | undefined
  let started = false
  const start = (channel: ServerChannel, command: string | undefined): void => {
    const closed = new AbortController()
    channel.on('close', () => closed.abort())
    channel.on('error', () => closed.abort())
    const request = { holder, channel, command, protocol, signal: AbortSignal.any([signal, closed.signal]) }
    onSession(serveSession(services, request))
  }
  session.on('env', (accept, reject, { key, val }) => {
    if (key !== 'GIT_PROTOCOL' || val.length > MAX_PROTOCOL_LENGTH) return reject?.()
    protocol = val
    accept?.()
  })
  session.on('pty', (_, reject) => reject?.())
  session.on('exec', (accept, reject, { command }) => {
    if (started) return reject?.()
    started = true
    start(accept(), command)
  })
  session.on('shell', (accept, reject) => {
    if (started) return reject?.()
    started = true
    start(accept(), undefined)
  })
}
