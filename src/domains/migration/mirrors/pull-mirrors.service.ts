import type { Core, Services } from '../../../core/module.ts'
import { actorOf } from '../../../core/access/viewer.ts'
import { branchRef, type Remote, RemoteError, type RemoteRefs } from '../../../core/git/index.ts'
import { badRequest } from '../../../core/platform/errors.ts'
import { errors } from '../../errors.ts'
import type { RepoId } from '../../../core/platform/crypto/ids.ts'
import { KeyedMutex, type SharedLocks } from '../../../core/platform/concurrency/lock-table.ts'
import { type LfsTransfers, type RefChange, lfsServerOf } from '../../code/index.ts'
import { type Repo, mirrorQueries, repoQueries } from '../../repositories/index.ts'
import { mirrorChanges, nextDefaultBranch } from './mirror-changes.policy.ts'
import { collectProblems, wikiAddress, type FoundRemote, type RemoteAccess } from './remote-access.ts'

interface PullMirrorDeps extends Pick<Core, 'database' | 'git' | 'jobs' | 'clock' | 'log'> {
  readonly pushes: Services['pushes']
  readonly wikis: Services['wikis']
  readonly access: RemoteAccess
  /** Locks shared by all processes; undefined for a single process. */
  readonly locks: SharedLocks | undefined
  readonly quota: Services['quota']
  /** Undefined if LFS is disabled. */
  readonly lfsTransfers: LfsTransfers | undefined
  readonly enabled: boolean
}

export type PullMirrors = ReturnType<typeof createPullMirrors>

/** Pull mirrors: repositories that copy a remote repository (behaviour/repositories#imports-and-pull-mirrors). */
export function createPullMirrors(deps: PullMirrorDeps) {
  const { database, jobs, quota, enabled } = deps
  const syncing = new KeyedMutex({ name: 'pull mirrors', locks: deps.locks })
  return {
    /** Enqueues a sync. Throws BadRequest if the repository is not a mirror or mirrors are disabled. */
    async request(repo: Repo): Promise<void> {
      if (!enabled) throw errors.mirrorsDisabled()
      if (!repo.isMirror) throw badRequest('Repository is not a mirror')
      await quota.require(repo.owner, 'size:git:all')
      await database.transaction((tx) =>
        jobs.enqueue(tx, 'mirror.sync', { repo_id: repo.id }, { key: String(repo.id) }),
      )
    },
    /**
     * Updates the repository and its wiki from the remote and stores the failure, if any, in the mirror. Called by
     * jobs.
     */
    sync: (repoId: RepoId, signal: AbortSignal): Promise<void> =>
      enabled ? syncing.run(String(repoId), () => sync(deps, repoId, signal)) : Promise.resolve(),
  }
}

async function sync(deps: PullMirrorDeps, repoId: RepoId, signal: AbortSignal): Promise<void> {
  const { database, clock, log } = deps
  const repo = await repoQueries.findById(database.read, repoId)
  const mirror = await mirrorQueries.find(database.read, repoId)
  if (repo === undefined || mirror === undefined || repo.isArchived) return
  const outcome: SyncOutcome = (await deps.quota.isExceeded(repo.owner, 'size:repos:all'))
    ? { error: 'Quota exceeded' }
    : await syncParts(deps, { repo, mirror, signal })
  if (outcome.error !== '') log.warn({ repo: repoId, problem: outcome.error }, 'failed to sync a pull mirror')
  await database.transaction((tx) => mirrorQueries.recordSync(tx, repoId, { ...outcome, at: clock.now() }))
}

interface SyncOutcome {
  /** Present if the refs of the repository are up to date. */
  readonly remoteHead?: string
  readonly error: string
}

async function syncParts(deps: PullMirrorDeps, task: SyncTask): Promise<SyncOutcome> {
  const { problems, attempt } = collectProblems(task.signal)
  const updated = await attempt('', () => syncRefs(deps, task))
  if (updated !== undefined) {
    await attempt('', () => syncLargeFiles(deps, task, updated))
    await attempt('wiki: ', () => syncWiki(deps, task))
  }
  return { ...(updated && { remoteHead: updated.remoteHead }), error: problems.join('; ') }
}

interface SyncTask {
  readonly repo: Repo
  readonly mirror: NonNullable<Awaited<ReturnType<typeof mirrorQueries.find>>>
  readonly signal: AbortSignal
}

interface SyncedRefs {
  /** Branch of the remote's HEAD. */
  readonly remoteHead: string
  /** The remote after redirects. */
  readonly remote: Remote
  readonly hasChanges: boolean
  /** Object ids of the refs before the sync. */
  readonly before: readonly string[]
}

/** Lists the refs of the remote and fetches only if one has changed. */
async function syncRefs(deps: PullMirrorDeps, { repo, mirror, signal }: SyncTask): Promise<SyncedRefs> {
  const { git, access, pushes, database } = deps
  const { remote, found } = await listRemote(deps, mirror.remoteUrl, { mirror, signal })
  const opened = git.open(repo)
  const before = await opened.refs.snapshot()
  const options = { isPruning: mirror.isPruning, zeroOid: opened.zeroOid }
  if (found.refs.size > 0 && found.objectFormat !== repo.objectFormat)
    throw new RemoteError(
      'failed',
      `the other repository has the object format ${found.objectFormat}, this one ${repo.objectFormat}`,
    )
  requireBranches(found.refs, before.list('refs/heads/').length)
  const defaultBranchFor = (refs: RemoteRefs['refs'], changes: readonly RefChange[]): string | undefined =>
    nextDefaultBranch({
      current: repo.defaultBranch,
      head: found.head,
      lastHead: mirror.remoteHead,
      remote: refs,
      deletedRefs: changes.filter(({ newOid }) => newOid === opened.zeroOid).map(({ ref }) => ref),
    })
  const expected = mirrorChanges(before, found.refs, options)
  const updated = {
    remoteHead: found.head ?? '',
    remote,
    hasChanges: expected.length > 0,
    before: before.list('refs/').map(({ oid }) => oid),
  }
  if (expected.length > 0) {
    // NOTE: stored before any ref is updated, so that after a crash the next sync fetches the large files of this one.
    if (mirror.hasLfs) await database.transaction((tx) => mirrorQueries.setLfsPending(tx, repo.id, true))
    await git.remotes.receive(remote, opened, {
      ...access.transfer(signal),
      async move(refs) {
        const changes = mirrorChanges(await opened.refs.snapshot(), refs, options)
        if ((await mirrorQueries.find(database.read, repo.id)) === undefined) return
        const defaultBranch = defaultBranchFor(refs, changes)
        // NOTE: a sync must not use the owner's rights to other repositories.
        const owner = { ...actorOf(repo.ownerId), onlyRepos: new Set([repo.id]) }
        await pushes.moveRefs(owner, repo, { changes, defaultBranch, isMirrorSync: true })
      },
    })
    return updated
  }
  const defaultBranch = defaultBranchFor(found.refs, [])
  if (defaultBranch !== undefined) {
    await opened.refs.setHead(defaultBranch)
    await database.transaction((tx) => repoQueries.setDefaultBranch(tx, repo.id, defaultBranch))
  }
  return updated
}

/** Fetches the large files of new commits; after a failed sync, those of the whole history. */
async function syncLargeFiles(
  { git, access, database, lfsTransfers }: PullMirrorDeps,
  { repo, mirror, signal }: SyncTask,
  { remote, hasChanges, before }: SyncedRefs,
): Promise<void> {
  if (!mirror.hasLfs || lfsTransfers === undefined || (!hasChanges && !mirror.isLfsPending)) return
  const server = lfsServerOf({
    url: remote.url,
    credentials: remote.credentials,
    endpoint: access.unsealEndpoint(mirror.lfsEndpoint),
  })
  if (server === undefined) return
  const { maxBytes } = access.transfer(signal)
  await lfsTransfers.fetchNew(server, git.open(repo), {
    repoId: repo.id,
    without: mirror.isLfsPending ? [] : before,
    maxBytes,
    signal,
  })
  await database.transaction((tx) => mirrorQueries.setLfsPending(tx, repo.id, false))
}

function listRemote(
  { access }: PullMirrorDeps,
  url: string,
  { mirror, signal }: Pick<SyncTask, 'mirror' | 'signal'>,
): Promise<FoundRemote> {
  return access.list(url, access.unseal(mirror.credentials), signal)
}

/** Throws RemoteError if all branches would be deleted: a server that lost its data must not empty its mirrors. */
function requireBranches(refs: RemoteRefs['refs'], branches: number): void {
  if (branches > 0 && ![...refs.keys()].some((name) => name.startsWith(branchRef(''))))
    throw new RemoteError('failed', 'the other repository has no branches; nothing was removed here')
}

/** Syncs the wiki if it was imported with the repository. */
async function syncWiki(deps: PullMirrorDeps, { repo, mirror, signal }: SyncTask): Promise<void> {
  const storage = `${repo.storage}.wiki`
  if (!mirror.hasWiki || !(await deps.git.repoExists(storage))) return
  const { remote, found } = await listRemote(deps, wikiAddress(mirror.remoteUrl), { mirror, signal })
  const opened = deps.git.open({ storage, objectFormat: repo.objectFormat })
  const options = { isPruning: mirror.isPruning, zeroOid: opened.zeroOid }
  const before = await opened.refs.snapshot()
  requireBranches(found.refs, before.list('refs/heads/').length)
  if (mirrorChanges(before, found.refs, options).length === 0) return
  await deps.git.remotes.receive(remote, opened, {
    ...deps.access.transfer(signal),
    async move(refs) {
      const changes = mirrorChanges(await opened.refs.snapshot(), refs, options)
      const isDeletion = ({ newOid }: RefChange): boolean => newOid === opened.zeroOid
      for (const part of [changes.filter(isDeletion), changes.filter((change) => !isDeletion(change))]) {
        await opened.refs.update(part.map(({ ref, oldOid, newOid }) => ({ ref, old: oldOid, new: newOid })))
      }
    },
  })
  await deps.wikis.record(repo.id)
}
