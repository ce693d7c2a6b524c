import type { AuthContext, Connection, PublicKeyAuthContext, ServerChannel, Session, utils as SshUtils } from 'ssh2'
import type { RequestClient, RequestCredential } from '../../../core/platform/request-source.ts'
import type { FailedAttempt, KeyHolder, SourcedActor } from '../../accounts/index.ts'
import {
  isCertificate,
  isUnknownKind,
  offeredFingerprint,
  provesCertified,
  provesPossession,
  requestedAlgorithm,
} from './key-check.ts'
import { serveSession, type SshServices } from './session.ts'
import { announceSignatureAlgorithms } from './signature-algorithms.ts'

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
