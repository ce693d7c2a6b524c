import { once } from 'node:events'
import type { ServerChannel } from 'ssh2'
import { admitCaller } from '../../../core/access/admit.ts'
import type { Db } from '../../../core/db/database.ts'
import { type Exchange, type Git, serveUploadArchive, WireError } from '../../../core/git/index.ts'
import { isDomainError } from '../../../core/platform/errors.ts'
import type { Logger } from '../../../core/platform/logger.ts'
import type { GitTransport, LfsTokens, Pushes, Wikis } from '../../code/index.ts'
import { type KeyTargets, type Repos, findBranchWriter } from '../../repositories/index.ts'
import { type KeyHolder, type KeyLogins, type SignInRecords, viewerOfKey } from '../../accounts/index.ts'
import { admit, requireWrite, SshRefusal } from './admit.ts'
import { type GitService, parseCommandLine, type RepoPath, type SshCommand } from './command-line.ts'

/** What SSH clients are served from. */
export interface SshServices {
  readonly read: Db
  readonly keyLogins: KeyLogins
  readonly keyTargets: KeyTargets
  readonly git: Git
  readonly transport: GitTransport
  /** Undefined where LFS is off. */
  readonly lfsTokens: LfsTokens | undefined
  /** Of the HTTP server, without a slash at the end. */
  rootUrl(): string
  readonly pushes: Pushes
  readonly signInRecords: Pick<SignInRecords, 'accepted' | 'failed'>
  readonly repos: Repos
  readonly wikis: Wikis
  readonly log: Logger
}

export interface SshRequest {
  readonly holder: KeyHolder
  readonly channel: ServerChannel
  /** The command line; undefined for an interactive login. */
  readonly command: string | undefined
  /** GIT_PROTOCOL as the client sent it. */
  readonly protocol: string | undefined
  /** Fires when the client has left. */
  readonly signal: AbortSignal
}

/** Answers one session of a client; settles when the client has read everything or has disconnected. Never rejects. */
export async function serveSession(services: SshServices, request: SshRequest): Promise<void> {
  const { channel } = request
  const code = await run(services, request).catch((error: unknown) => explain(services.log, channel, error))
  if (!channel.writable) return
  channel.exit(code)
  channel.end()
  channel.resume() // NOTE: what the client still sends must not keep the channel open.
  if (!request.signal.aborted) await once(request.signal, 'abort')
}

async function run(services: SshServices, request: SshRequest): Promise<number> {
  const { channel, command } = request
  if (command === undefined) {
    if (request.holder.kind === 'user') services.keyLogins.recordUse(request.holder.key)
    channel.stderr.write(`${greeting(request.holder)}\n`)
    return 0
  }
  const parsed = parseCommandLine(command)
  if (parsed.kind === 'wrong') throw new SshRefusal(parsed.text)
  if (parsed.kind === 'info') {
    channel.write('{"type":"agit","version":1}\n')
    return 0
  }
  // NOTE: a connection may be open for hours: accounts and keys of its sign-in may have changed.
  const holder = await services.keyLogins.reload(request.holder)
  if (holder === undefined) throw new SshRefusal('The key was deleted.')
  if (parsed.kind === 'lfs') {
    channel.write(`${JSON.stringify(await authenticateLfs(services, holder, parsed))}\n`)
    return 0
  }
  await serveGit(services, { ...request, holder }, parsed)
  return 0
}

async function serveGit(
  services: SshServices,
  { holder, channel, protocol, signal }: SshRequest,
  { service, path }: SshCommand & { kind: 'git' },
): Promise<void> {
  const { keyLogins, keyTargets, git, pushes, transport, wikis } = services
  if (service === 'git-receive-pack') await createWhenMissing(services, holder, path)
  const target = await admit(keyTargets, holder, path, service === 'git-receive-pack' ? 'push' : 'read')
  keyLogins.recordUse(target.key)
  const exchange: Exchange = {
    repo: path.isWiki ? await wikis.ensure(target.repo) : git.open(target.repo),
    input: channel,
    output: channel,
    protocol,
    signal,
  }
  // NOTE: the client downloads a bundle over HTTP, without its key.
  const bundleUrl = path.isWiki ? undefined : transport.openBundleUrl?.(target.repo)
  const serve: Record<GitService, () => Promise<void>> = {
    'git-upload-pack': () => transport.uploadPack.serveConnection({ ...exchange, ...(bundleUrl && { bundleUrl }) }),
    'git-receive-pack': () =>
      transport.receivePack.serveConnection({
        ...exchange,
        policy: (path.isWiki ? wikis : pushes).policyFor(target.viewer, target),
        maxPackBytes: transport.maxPackBytes,
      }),
    'git-upload-archive': () => serveUploadArchive(exchange, transport.uploadArchive),
  }
  await serve[service]()
}

/** A push to a missing repository creates it, where that is on; without the right to it is only missing. */
async function createWhenMissing({ keyTargets, repos }: SshServices, holder: KeyHolder, path: RepoPath): Promise<void> {
  if (holder.kind !== 'user' || path.isWiki) return
  if (admitCaller(viewerOfKey(holder), {}).kind !== 'allowed') return
  if ((await keyTargets.find(holder, path.owner, path.name)) !== undefined) return
  try {
    await repos.createByPush(viewerOfKey(holder), path.owner, path.name)
  } catch (error) {
    if (isDomainError(error, 'forbidden') || isDomainError(error, 'invalid')) throw new SshRefusal(error.message)
    if (!isDomainError(error, 'not-found')) throw error
  }
}

/** A token to use LFS over HTTP for a limited time (git-lfs specification, server discovery). */
async function authenticateLfs(
  { keyLogins, keyTargets, lfsTokens, read, rootUrl }: SshServices,
  holder: KeyHolder,
  { path, operation }: SshCommand & { kind: 'lfs' },
): Promise<object> {
  if (lfsTokens === undefined || path.isWiki) throw new SshRefusal('Unknown git command')
  const target = await admit(keyTargets, holder, path, operation === 'upload' ? 'push' : 'read')
  if (operation === 'upload' && (await findBranchWriter(read, target.viewer, target)) === undefined)
    requireWrite(target, path)
  keyLogins.recordUse(target.key)
  const token = lfsTokens.issue({ keyKind: target.key.kind, keyId: target.key.id, repoId: target.repo.id, operation })
  return {
    header: { Authorization: `Bearer ${token}` },
    href: `${rootUrl()}/${target.repo.fullName}.git/info/lfs`,
    expires_in: lfsTokens.lifetime,
  }
}

/** Sends the error that the client may see; returns the exit code. */
function explain(log: Logger, channel: ServerChannel, error: unknown): number {
  if (error instanceof SshRefusal) {
    if (channel.writable) {
      channel.write('\n')
      channel.stderr.write(`error: ${error.message}\n`)
    }
  } else if (error instanceof WireError)
    log.info({ kind: error.kind, reason: error.message }, 'git transfer over SSH ended early')
  else {
    log.error({ err: error }, 'SSH session failed')
    if (channel.writable) channel.stderr.write('error: Internal error, see the log of the server\n')
  }
  return 1
}

/** NOTE: clients look for "successfully authenticated". */
function greeting(holder: KeyHolder): string {
  const noShell = 'but Ingot does not provide shell access.'
  if (holder.kind === 'user')
    return `Hi there, ${holder.user.name}! You've successfully authenticated with the ${holder.key.kind === 'certificate' ? 'certificate' : 'key'} named ${holder.key.title}, ${noShell}`
  return `Hi there! You've successfully authenticated with the deploy key named ${holder.grants[0].title}, ${noShell}`
}
