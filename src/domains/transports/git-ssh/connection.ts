import type { AuthContext, Connection, PublicKeyAuthContext, ServerChannel, Session, utils as SshUtils } from 'ssh2'
import type { RequestClient, RequestCredential } from '../../../core/platform/request-source.ts'
import type { FailedAttempt, KeyHolder, SourcedActor } from '../../accounts/index.ts'
import { serveSession, type SshServices } from './session.ts'
import { framed, verifySshBlob } from '../../../core/platform/ssh/signature.ts'
import { parseSshPublicKey, sshFingerprint, SshKeyError } from '../../../core/platform/ssh/key.ts'

/**
 * The data that the library passes to its user: an offered key with, in the second step, its signature over the
 * session.
 */
export interface OfferedKey {
  readonly key: { readonly algo: string; readonly data: Buffer }
  /** The hash algorithm of an RSA key, if the client sends one. */
  readonly hashAlgo?: string | undefined
  readonly signature?: Buffer | undefined
  /** The signed data. */
  readonly blob?: Buffer | undefined
}

/** The fingerprint (`SHA256:...`) of an offered key. */
const offeredFingerprint = ({ key }: OfferedKey): string => sshFingerprint(key.data)

/** Whether the kind of key cannot be registered: DSA and unknown kinds. */
const isUnknownKind = (offered: OfferedKey): boolean => !KINDS.has(offered.key.algo) && !isCertificate(offered)

const isCertificate = ({ key }: OfferedKey): boolean => key.algo.endsWith('-cert-v01@openssh.com')

/**
 * The algorithm name sent by the client, which the response to an offer repeats (RFC 4252 §7); the library only has the
 * name of the key type.
 */
const requestedAlgorithm = ({ key, hashAlgo }: OfferedKey): string =>
  key.algo === 'ssh-rsa' && hashAlgo !== undefined ? hashAlgo.replace('sha', 'rsa-sha2-') : key.algo

/** Like `provesPossession`, for the key in a certificate. NOTE: for these the library does not modify the signature. */
const provesCertified = ({ signature, blob }: OfferedKey, key: Buffer): boolean =>
  signature === undefined || (blob !== undefined && verifySshBlob(key, signature, blob))

/**
 * True for an offer without signature (the client asks whether the key is acceptable) and for a valid signature over
 * this session.
 */
export function provesPossession(offered: OfferedKey, utils: typeof SshUtils): boolean {
  if (!KINDS.has(offered.key.algo)) return false
  if (SECURITY_KEYS.has(offered.key.algo)) return securityKeyProves(offered)
  const { key, signature, blob, hashAlgo } = offered
  const parsed = utils.parseKey(`${key.algo} ${key.data.toString('base64')}`)
  if (parsed instanceof Error || Array.isArray(parsed)) return false
  // NOTE: RSA without a hash algorithm is the obsolete SHA-1 signature.
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
 * The library does not support keys on hardware tokens (`sk-*`), so they are verified here; a user must have touched
 * the token.
 */
function securityKeyProves({ key, signature, blob }: OfferedKey): boolean {
  if (!isReadable(key)) return false
  if (signature === undefined) return true
  if (blob === undefined || signature.length < TOKEN_STATE_BYTES) return false
  // NOTE: the library has removed the algorithm (if it is that of the key) and the length; both are added again.
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

/** Signature algorithms for clients. DSA and RSA with SHA-1 are refused, so that clients do not try them. */
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

/** The internals of the library's connection that this file accesses (ssh2 1.17, pinned). */
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
 * Announces the signature algorithms to a client (RFC 8308 §3.1) instead of the library, whose list lacks a comma, so
 * that clients which sign only with rsa-sha2-512 found no algorithm. Called before the key exchange.
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
  /** Called once after the client has authenticated. */
  readonly onSignedIn: () => void
  /** Called for every session that begins; the promise resolves at its end. */
  readonly onSession: (served: Promise<void>) => void
}

/** The maximum number of keys that a client may offer before it is disconnected: an agent may have several. */
const MAX_TRIES = 20
/** The maximum number of concurrent sessions of one connection (multiplexing clients). */
const MAX_SESSIONS = 10
const MAX_PROTOCOL_LENGTH = 100
const MAX_KIND_LENGTH = 64

/** Handles one client from its sign-in to its end: public keys only, one user name, no shell, no forwarding. */
export function handleConnection(client: Connection, options: ConnectionOptions): void {
  const disconnected = new AbortController()
  let holder: KeyHolder | undefined
  let tries = 0
  let sessions = 0
  let isSignedIn = false

  announceSignatureAlgorithms(client)
  client.on('error', () => client.end()) // NOTE: closes a broken connection; its sessions are notified by the signal.
  client.on('close', () => {
    disconnected.abort()
    if (tries > 0 && !isSignedIn) options.services.signInRecords.failed(failedAttempt(options.source))
  })
  client.on('authentication', (context) => {
    if (context.method !== 'none' && ++tries > MAX_TRIES) return client.end()
    authenticate(context, options).then(
      (found) => {
        if (found === undefined) return context.reject(['publickey'])
        holder = found
        // NOTE: older clients in Go accept only the name that they sent.
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
    handleSession(session, { holder, signal: disconnected.signal, ...options })
  })
}

/** NOTE: clients offer several keys, so a connection without a valid one counts as one attempt. */
const failedAttempt = (client: RequestClient): FailedAttempt => ({
  client,
  credential: { kind: 'ssh-key', id: 0 },
  userId: 0,
})

/** The user of a key; a deploy key does not act for an account. */
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
      'an SSH client offered a key of an unsupported kind',
    )
  if (!provesPossession(context, utils)) return undefined
  return services.keyLogins.find(offeredFingerprint(context))
}

/** NOTE: clients offer a certificate before the key itself; the log line shows why it was refused. */
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
