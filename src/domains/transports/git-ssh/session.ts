import { once } from 'node:events'
import type { ServerChannel } from 'ssh2'
import type { Services } from '../../../core/module.ts'
import { authorizeRequester, authorizeRepo, type RepoLevel } from '../../../core/access/authorize.ts'
import { type Exchange, type Git, serveUploadArchive, WireError } from '../../../core/git/index.ts'
import { isDomainError } from '../../../core/platform/errors.ts'
import { refusalLines } from '../../../core/platform/refusal-lines.ts'
import type { Logger } from '../../../core/platform/logger.ts'
import type { KeyTarget } from '../../repositories/index.ts'
import { type KeyHolder, viewerOfKey } from '../../accounts/index.ts'

/** A repository in the notation of SSH clients. */
interface RepoPath {
  readonly owner: string
  readonly name: string
  /** The wiki of the repository: `{name}.wiki`. */
  readonly isWiki: boolean
}

type GitService = 'git-upload-pack' | 'git-receive-pack' | 'git-upload-archive'

/** The command that a client requests by `exec`. */
type SshCommand =
  | { readonly kind: 'git'; readonly service: GitService; readonly path: RepoPath }
  | { readonly kind: 'lfs'; readonly path: RepoPath; readonly operation: 'upload' | 'download' }
  | { readonly kind: 'info' }
  /** Refused with this message. */
  | { readonly kind: 'wrong'; readonly text: string }

const SERVICES: readonly string[] = ['git-upload-pack', 'git-receive-pack', 'git-upload-archive'] satisfies GitService[]
const MAX_LENGTH = 4096

/** Parses `git-upload-pack '/owner/repo.git'` and similar commands. No part of it ever reaches a shell. */
export function parseCommandLine(line: string): SshCommand {
  const words = line.length > MAX_LENGTH ? undefined : splitWords(line)
  if (words === undefined) return wrong('Unknown git command')
  // `git upload-pack path` is equivalent to `git-upload-pack path`.
  const [verb = '', ...args] = words[0] === 'git' && words.length > 1 ? [`git-${words[1]}`, ...words.slice(2)] : words
  if (verb === 'ssh_info') return { kind: 'info' }
  const isLfs = verb === 'git-lfs-authenticate'
  if (!isLfs && !SERVICES.includes(verb)) return wrong('Unknown git command')
  if (args.length < (isLfs ? 2 : 1)) return wrong('Too few arguments')
  const path = parseRepoPath(args[0]!)
  if (path === undefined) return wrong('Invalid repository path')
  if (!isLfs) return { kind: 'git', service: verb as GitService, path }
  const operation = args[1]
  return operation === 'upload' || operation === 'download'
    ? { kind: 'lfs', path, operation }
    : wrong('Unknown LFS operation')
}

/** `owner/name` with an optional leading slash and `.git` suffix; undefined for anything else. */
export function parseRepoPath(text: string): RepoPath | undefined {
  const match = /^\/?([^/\s]+)\/([^/\s]+?)\/?$/.exec(text)
  if (match === null) return undefined
  const base = match[2]!.replace(/\.git$/i, '')
  const name = base.replace(/\.wiki$/i, '')
  if (/^\.{0,2}$/.test(name) || /^\.{1,2}$/.test(match[1]!)) return undefined
  return { owner: match[1]!, name, isWiki: name !== base }
}

const wrong = (text: string): SshCommand => ({ kind: 'wrong', text })

/** A word and the space before it; a backslash at the end of the line is literal. */
const WORD = /\s*((?:'[^']*'|"(?:[^"\\]|\\[^])*"|\\[^]|[^\s'"\\]|\\$)+)/gy
const QUOTED = /'([^']*)'|"((?:[^"\\]|\\[^])*)"|\\([^])/g

/** Splits words like a shell: single and double quotes, backslashes. Undefined when a quote is not closed. */
function splitWords(line: string): string[] | undefined {
  const words: string[] = []
  let end = 0
  for (const match of line.matchAll(WORD)) {
    words.push(unquote(match[1]!))
    end = match.index + match[0].length
  }
  return line.slice(end).trim() === '' ? words : undefined
}

const unquote = (word: string): string =>
  word.replaceAll(
    QUOTED,
    (_, single?: string, double?: string, escaped?: string) =>
      single ?? double?.replaceAll(/\\([^])/g, '$1') ?? escaped ?? '',
  )

/** A refusal with a message for the client (behaviour/git-data-and-transport#git-over-ssh). */
class SshRefusal extends Error {
  override readonly name = 'SshRefusal'
}

type Intent = 'read' | 'push'

/**
 * The repository of a path, if the key is authorized for the intent; silently resolves former names. Hidden
 * repositories are reported as missing. A push with the key of a user requires only read access: refs are authorized
 * one by one. Throws SshRefusal.
 */
async function authorizeKey(
  keyTargets: Services['keyTargets'],
  holder: KeyHolder,
  path: RepoPath,
  intent: Intent,
): Promise<KeyTarget> {
  if (holder.kind === 'user') requireUsable(holder)
  const target = await keyTargets.find(holder, path.owner, path.name)
  if (target === undefined)
    throw new SshRefusal(`Cannot find repository: ${path.owner}/${path.name}${path.isWiki ? '.wiki' : ''}`)
  requireLevel(target, path, { level: holder.kind === 'deploy' && intent === 'push' ? 'write' : 'read', intent })
  return target
}

/** Throws SshRefusal when the key may not write to the code. */
const requireWrite = (target: KeyTarget, path: RepoPath): void =>
  requireLevel(target, path, { level: 'write', intent: 'push' })

function requireLevel(
  target: KeyTarget,
  { isWiki }: RepoPath,
  { level, intent }: { readonly level: RepoLevel; readonly intent: Intent },
): void {
  const { fullName } = target.repo
  const decision = authorizeRepo(
    target.viewer,
    { kind: 'found', ...target },
    {
      level,
      unit: isWiki ? 'repo.wiki' : 'repo.code',
      ...(intent === 'push' && { archived: 'refuse' }),
      ...(intent === 'push' && !isWiki && { mirror: 'refuse' }),
    },
  )
  if (decision.kind === 'allowed') return
  switch (decision.kind === 'forbidden' ? decision.reason : 'unit') {
    case 'archived':
      throw new SshRefusal(`Repo: ${fullName} is archived.`)
    case 'mirror':
      throw new SshRefusal(`Mirror Repository ${fullName} is read-only`)
    case 'level':
      throw new SshRefusal(`${describeKey(target)} is not authorized to write to ${fullName}.`)
    default:
      if (isWiki) throw new SshRefusal('repository wiki is disabled')
      throw new SshRefusal(`${describeKey(target)} is not authorized to read ${fullName}.`)
  }
}

function describeKey({ key, viewer, isForeign }: KeyTarget): string {
  if (key.kind === 'user') return `User: ${viewer.account.id}:${viewer.account.name} with Key: ${key.id}:${key.title}`
  if (key.kind === 'certificate')
    return `User: ${viewer.account.id}:${viewer.account.name} with Certificate: ${key.title}`
  return `${isForeign ? 'Public (Deploy) Key' : 'Deploy Key'}: ${key.id}:${key.title}`
}

function requireUsable(holder: KeyHolder & { kind: 'user' }): void {
  const decision = authorizeRequester(viewerOfKey(holder), {})
  if (decision.kind !== 'forbidden') return
  throw new SshRefusal(
    decision.reason === 'password-change-required'
      ? 'You must change your password first.'
      : 'Your account is disabled.',
  )
}

/** The dependencies of SSH sessions. */
export interface SshServices {
  readonly branchWriters: Services['branchWriters']
  readonly keyLogins: Services['keyLogins']
  readonly keyTargets: Services['keyTargets']
  readonly git: Git
  readonly transport: Services['gitTransport']
  /** Undefined if LFS is disabled. */
  readonly lfsTokens: Services['lfsTokens'] | undefined
  /** The root URL of the HTTP server, without trailing slash. */
  rootUrl(): string
  readonly pushes: Services['pushes']
  readonly signInRecords: Pick<Services['signInRecords'], 'accepted' | 'failed'>
  readonly repos: Services['repos']
  readonly wikis: Services['wikis']
  readonly log: Logger
}

export interface SshRequest {
  readonly holder: KeyHolder
  readonly channel: ServerChannel
  /** The command line; undefined for an interactive login. */
  readonly command: string | undefined
  /** GIT_PROTOCOL as sent by the client. */
  readonly protocol: string | undefined
  /** Aborted when the client has disconnected. */
  readonly signal: AbortSignal
}

/** Handles one session of a client; resolves when the client has read everything or has disconnected. Never rejects. */
export async function serveSession(services: SshServices, request: SshRequest): Promise<void> {
  const { channel } = request
  const code = await run(services, request).catch((error: unknown) => explain(services.log, channel, error))
  if (!channel.writable) return
  channel.exit(code)
  channel.end()
  channel.resume() // NOTE: discards further input, which would otherwise keep the channel open.
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
  // NOTE: a connection may be open for hours; accounts and keys may have changed since the sign-in.
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
  const target = await authorizeKey(keyTargets, holder, path, service === 'git-receive-pack' ? 'push' : 'read')
  keyLogins.recordUse(target.key)
  const exchange: Exchange = {
    repo: path.isWiki ? await wikis.ensure(target.repo) : git.open(target.repo),
    client: holder.kind === 'user' ? `account ${holder.user.id}` : `deploy key ${target.key.id}`,
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

/**
 * Creates the missing repository of a push if this is enabled; without permission the repository is reported as
 * missing.
 */
async function createWhenMissing({ keyTargets, repos }: SshServices, holder: KeyHolder, path: RepoPath): Promise<void> {
  if (holder.kind !== 'user' || path.isWiki) return
  if (authorizeRequester(viewerOfKey(holder), {}).kind !== 'allowed') return
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
  { branchWriters, keyLogins, keyTargets, lfsTokens, rootUrl }: SshServices,
  holder: KeyHolder,
  { path, operation }: SshCommand & { kind: 'lfs' },
): Promise<object> {
  if (lfsTokens === undefined || path.isWiki) throw new SshRefusal('Unknown git command')
  const target = await authorizeKey(keyTargets, holder, path, operation === 'upload' ? 'push' : 'read')
  if (operation === 'upload' && (await branchWriters.find(target.viewer, target)) === undefined)
    requireWrite(target, path)
  keyLogins.recordUse(target.key)
  const token = lfsTokens.issue({ keyKind: target.key.kind, keyId: target.key.id, repoId: target.repo.id, operation })
  return {
    header: { Authorization: `Bearer ${token}` },
    href: `${rootUrl()}/${target.repo.fullName}.git/info/lfs`,
    expires_in: lfsTokens.lifetime,
  }
}

/** Sends the part of the error that the client may see; returns the exit code. */
function explain(log: Logger, channel: ServerChannel, error: unknown): number {
  if (error instanceof SshRefusal) {
    if (channel.writable) {
      channel.write('\n')
      channel.stderr.write(`${refusalLines(error.message).join('\n')}\n`)
    }
  } else if (error instanceof WireError)
    log.info({ kind: error.kind, reason: error.message }, 'git transfer over SSH ended prematurely')
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
