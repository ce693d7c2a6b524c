import type { Core } from '../../../../core/module.ts'
import type { Tx } from '../../../../core/db/database.ts'
import {
  badRequest,
  engineErrors,
  forbidden,
  invalidField,
  unauthenticated,
  unavailable,
} from '../../../../core/platform/errors.ts'
import { errors } from '../../../errors.ts'
import type { RepoId } from '../../../../core/platform/crypto/ids.ts'
import { InFlight } from '../../../../core/platform/concurrency/in-flight.ts'
import { KeyedMutex, type SharedLocks } from '../../../../core/platform/concurrency/lock-table.ts'
import type { Page, Paging } from '../../../../core/platform/paging.ts'
import { type LfsTransfers, lfsServerOf } from '../../../code/index.ts'
import { type Repo, repoQueries } from '../../../repositories/index.ts'
import {
  deletePushMirror,
  findPushMirror,
  findPushMirrorByName,
  insertPushMirror,
  listPushMirrorIds,
  listPushMirrors,
  type PushMirror,
  updatePushMirror,
  type NewPushMirrorRow,
} from './push-mirror.store.ts'
import {
  type RemoteAccess,
  readMirrorInterval,
  parseRemoteAddress,
  type RemoteAddress,
  wikiAddress,
  collectProblems,
} from '../remote-access.ts'
import { randomInt } from 'node:crypto'
import { flag } from '../../../../core/db/flag.ts'
import { isOutgoingError } from '../../../../core/platform/outgoing/index.ts'
import { generateSshKeyPair } from '../../../../core/platform/ssh/key-pair.ts'
import { hasUnit } from '../../../../core/access/repo-access.ts'
import { type Git, isValidRefName, RemoteError } from '../../../../core/git/index.ts'

interface NewPushMirror {
  readonly address: string
  readonly username: string
  readonly password: string
  /** Patterns with commas between them; empty for all branches. */
  readonly branchFilter: string
  /** Duration text, required; `0` disables scheduled pushes. */
  readonly interval: string
  readonly isOnCommit: boolean
  /** Push by SSH with a new key pair. */
  readonly isSsh: boolean
}

interface PlanDeps {
  readonly access: RemoteAccess
  /** Milliseconds. */
  readonly minInterval: number
}

type Plan = Omit<NewPushMirrorRow, 'repo_id' | 'next_sync_at' | 'created_at'>
type FoundAddress = Extract<RemoteAddress, { kind: 'remote' }>

const NAME_ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const NAME_LENGTH = 10

/** Validates a new push mirror without connecting to the remote. Throws as `PushMirrors.create`. */
async function planPushMirror({ access, minInterval }: PlanDeps, input: NewPushMirror): Promise<Plan> {
  const interval = readMirrorInterval(input.interval, minInterval)
  if (typeof interval !== 'number') throw badRequest(interval.message)
  if (input.isSsh && (input.username !== '' || input.password !== ''))
    throw badRequest('use_ssh is mutually exclusive with remote_username and remote_password')
  const address = readAddress(input)
  await requireReachable(access, address.url)
  const given =
    input.username !== '' || input.password !== ''
      ? { username: input.username, password: input.password }
      : address.credentials
  const pair = input.isSsh ? generateSshKeyPair('ingot push mirror') : undefined
  return {
    remote_name: `remote_mirror_${Array.from({ length: NAME_LENGTH }, () => NAME_ALPHABET[randomInt(NAME_ALPHABET.length)]!).join('')}`,
    remote_url: address.url,
    credentials: access.seal(given),
    public_key: pair?.publicKey ?? '',
    private_key: access.sealKey(pair?.privateKey ?? ''),
    branch_filter: requireBranchFilter(input.branchFilter),
    interval,
    is_on_commit: flag(input.isOnCommit),
  }
}

/** Throws Invalid for a pattern that is not the name of a branch in which `*` may stand for a part. */
function requireBranchFilter(filter: string): string {
  for (const pattern of branchesOf(filter))
    if (pattern.split('*').length > 2 || !isValidRefName(`refs/heads/${pattern.replace('*', 'x')}`))
      throw invalidField('BranchFilter', `not the name of a branch with at most one *: ${pattern}`)
  return filter
}

const branchesOf = (filter: string): string[] =>
  filter
    .split(',')
    .map((pattern) => pattern.trim())
    .filter((pattern) => pattern !== '')

function readAddress({ address: text, isSsh }: NewPushMirror): FoundAddress {
  const address = parseRemoteAddress(text)
  if (address.kind === 'local')
    throw text === '' || (/^[a-z][a-z0-9+.-]*:\/\//i.test(text) && !/^file:/i.test(text))
      ? errors.mirrorAddressInvalid()
      : unauthenticated('Permission denied')
  const allowed = isSsh ? ['ssh'] : ['http', 'https']
  if (!allowed.includes(address.scheme)) throw badRequest('Invalid mirror protocol')
  return address
}

async function requireReachable(access: RemoteAccess, url: string): Promise<void> {
  try {
    await access.open(url, undefined)
  } catch (error) {
    if (isOutgoingError(error, 'refused')) throw unauthenticated(`Permission denied: ${error.message}`)
    throw isOutgoingError(error) ? errors.mirrorAddressInvalid() : error
  }
}

interface PushMirrorDeps extends Pick<Core, 'database' | 'git' | 'jobs' | 'clock' | 'log'> {
  readonly access: RemoteAccess
  /** Locks shared by all processes; undefined for a single process. */
  readonly locks: SharedLocks | undefined
  /** Undefined if LFS is disabled. */
  readonly lfsTransfers: LfsTransfers | undefined
  readonly settings: {
    readonly enabled: boolean
    readonly creationEnabled: boolean
    /** Milliseconds. */
    readonly minInterval: number
  }
}

export type PushMirrors = ReturnType<typeof createPushMirrors>

/**
 * Push mirrors: remote copies of a repository (behaviour/repositories#push-mirrors). Methods for requests throw
 * BadRequest if mirrors are disabled.
 */
export function createPushMirrors(deps: PushMirrorDeps) {
  const { database, settings } = deps
  const inFlight = new InFlight()
  const pushing = new KeyedMutex({ name: 'push mirrors', locks: deps.locks })
  const requireEnabled = (): void => {
    if (!settings.enabled) throw errors.mirrorsDisabled()
  }
  const sync = (id: number, signal: AbortSignal): Promise<string> =>
    pushing.run(String(id), () => push(deps, id, signal))
  return {
    /** Pushes to one mirror; stores and returns the failure message, empty on success. Called by jobs. */
    sync: (id: number, signal: AbortSignal): Promise<string> =>
      settings.enabled ? sync(id, signal) : Promise.resolve(''),
    /** Aborts the pushes that requests wait for. */
    close: (): Promise<void> => inFlight.close(),
    /** Enqueues pushes to the mirrors that receive every change. Called by event handlers. */
    async enqueuePushes(tx: Tx, repoId: RepoId): Promise<void> {
      if (!settings.enabled) return
      for (const id of await listPushMirrorIds(tx, repoId, { onCommit: true }))
        await deps.jobs.enqueue(tx, 'push_mirror.sync', { push_mirror_id: id }, { key: String(id) })
    },
    async list(repo: Repo, paging: Paging): Promise<Page<PushMirror>> {
      requireEnabled()
      return listPushMirrors(database.read, repo.id, paging)
    },
    /** Throws NotFound. */
    async get(repo: Repo, remoteName: string): Promise<PushMirror> {
      requireEnabled()
      const mirror = await findPushMirrorByName(database.read, repo.id, remoteName)
      if (mirror === undefined) throw errors.pushMirrorNotFound()
      return mirror
    },
    /** Throws BadRequest for a bad address or interval, Unauthenticated for a forbidden host. */
    async create(repo: Repo, input: NewPushMirror): Promise<PushMirror> {
      requireEnabled()
      if (!settings.creationEnabled)
        throw forbidden('the site administrator has disabled the creation of new push mirrors')
      const plan = await planPushMirror({ ...deps, minInterval: settings.minInterval }, input)
      const at = deps.clock.now()
      // The next scheduled run does the first push.
      const row = { ...plan, repo_id: repo.id, next_sync_at: plan.interval === 0 ? 0 : at, created_at: at }
      const id = await database.transaction((tx) => insertPushMirror(tx, row))
      return (await findPushMirror(database.read, id))!
    },
    /** Does nothing if the mirror does not exist. */
    async delete(repo: Repo, remoteName: string): Promise<void> {
      requireEnabled()
      await database.transaction((tx) => deletePushMirror(tx, repo.id, remoteName))
    },
    /** Pushes to all mirrors in turn and returns their number; throws Unavailable at the first failure. */
    async syncAll(repo: Repo): Promise<number> {
      requireEnabled()
      const ids = await listPushMirrorIds(database.read, repo.id)
      for (const id of ids) {
        const problem = await inFlight
          .run((signal) => sync(id, signal))
          .catch((error: unknown) => {
            throw inFlight.isStopping ? engineErrors.serverStopping() : error
          })
        if (problem !== '') throw unavailable(`The push to a mirror failed: ${problem}`)
      }
      return ids.length
    },
  }
}

async function push(deps: PushMirrorDeps, id: number, signal: AbortSignal): Promise<string> {
  const { database, clock, log } = deps
  const mirror = await findPushMirror(database.read, id)
  const repo = mirror && (await repoQueries.findById(database.read, mirror.repoId))
  if (mirror === undefined || repo === undefined || repo.isArchived) return ''
  const { isPushed, lfsSent, problem } = await pushAll(deps, { repo, mirror, signal })
  if (problem !== '') log.warn({ repo: repo.id, pushMirror: id, problem }, 'failed to update a push mirror')
  const now = clock.now()
  const times = { ...(isPushed && { pushed_at: now }), next_sync_at: mirror.interval === 0 ? 0 : now + mirror.interval }
  await database.transaction((tx) => updatePushMirror(tx, id, { ...times, lfs_sent: lfsSent, last_error: problem }))
  return problem
}

interface PushAllDeps {
  readonly git: Git
  readonly access: RemoteAccess
  readonly lfsTransfers: LfsTransfers | undefined
}

interface PushTask {
  readonly repo: Repo
  readonly mirror: PushMirror
  readonly signal: AbortSignal
}

interface PushOutcome {
  /** Branches and tags were pushed. */
  readonly isPushed: boolean
  readonly lfsSent: number
  /** Empty if everything was pushed. */
  readonly problem: string
}

/**
 * Pushes large files, then branches and tags, then the wiki. Each part runs even if another fails; `problem` lists all
 * failures. Large files come first, as in git-lfs: servers may refuse commits that refer to missing files.
 */
async function pushAll(deps: PushAllDeps, task: PushTask): Promise<PushOutcome> {
  const { problems, attempt } = collectProblems(task.signal)
  const lfsSent = await attempt('', () => sendLargeFiles(deps, task))
  const pushed = await attempt('', () => pushRefs(deps, task, 'repo'))
  await attempt('wiki: ', () => pushWiki(deps, task))
  return { isPushed: pushed !== undefined, lfsSent: lfsSent ?? task.mirror.lfsSent, problem: problems.join('; ') }
}

async function sendLargeFiles(
  { git, access, lfsTransfers }: PushAllDeps,
  { repo, mirror, signal }: PushTask,
): Promise<number> {
  if (lfsTransfers === undefined || !(await lfsTransfers.hasMore(repo.id, mirror.lfsSent))) return mirror.lfsSent
  const { privateKey } = mirror
  const server =
    privateKey === ''
      ? lfsServerOf({ url: mirror.remoteUrl, credentials: access.unseal(mirror.credentials) })!
      : await git.remotes.askForLargeFiles(
          { ...(await access.open(mirror.remoteUrl, undefined)), privateKey: access.unsealKey(privateKey) },
          access.transfer(signal),
        )
  return lfsTransfers.send(server, repo.id, { after: mirror.lfsSent, signal })
}

/** NOTE: on most servers a wiki does not exist before its first page, so a missing wiki is not a failure. */
async function pushWiki(deps: PushAllDeps, task: PushTask): Promise<void> {
  try {
    await pushRefs(deps, task, 'wiki')
  } catch (error) {
    if (!(error instanceof RemoteError && error.kind === 'missing')) throw error
  }
}

/** Pushes nothing from a repository without branches and tags, which would empty the remote. */
async function pushRefs(
  { git, access }: PushAllDeps,
  { repo, mirror, signal }: PushTask,
  which: 'repo' | 'wiki',
): Promise<true> {
  const storage = which === 'wiki' ? `${repo.storage}.wiki` : repo.storage
  if (which === 'wiki' && !(hasUnit(repo.units, 'repo.wiki') && (await git.repoExists(storage)))) return true
  const opened = git.open({ storage, objectFormat: repo.objectFormat })
  const refs = await opened.refs.snapshot()
  if (refs.list('refs/heads/').length === 0 && refs.list('refs/tags/').length === 0) return true
  const remote = await access.open(
    which === 'wiki' ? wikiAddress(mirror.remoteUrl) : mirror.remoteUrl,
    access.unseal(mirror.credentials),
  )
  const privateKey = access.unsealKey(mirror.privateKey)
  const patterns = which === 'wiki' ? [] : branchesOf(mirror.branchFilter)
  const heads = (patterns.length === 0 ? ['*'] : patterns).map((pattern) => `refs/heads/${pattern}`)
  await git.remotes.push({ ...remote, ...(privateKey !== '' && { privateKey }) }, opened, {
    ...access.transfer(signal),
    // git refuses to push a name that does not exist.
    sources: [...heads.filter((ref) => ref.includes('*') || refs.get(ref) !== undefined), 'refs/tags/*'],
  })
  return true
}
