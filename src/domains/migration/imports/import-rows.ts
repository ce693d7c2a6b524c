import { isSiteAdmin, type SignedIn } from '../../../core/access/viewer.ts'
import type { Db, Tx } from '../../../core/db/database.ts'
import { flag } from '../../../core/db/flag.ts'
import type { RepoId } from '../../../core/platform/crypto/ids.ts'
import { invalid } from '../../../core/platform/errors.ts'
import type { User } from '../../accounts/index.ts'
import { lfsQueries, releaseQueries } from '../../code/index.ts'
import { issueImports, issueQueries } from '../../issues/index.ts'
import { reviewImports } from '../../pulls/index.ts'
import { accessQueries, branchQueries, mirrorQueries, repoCreation, repoQueries } from '../../repositories/index.ts'
import { insertImportedAuthors } from './authors/imported-author.store.ts'
import type { FetchedGit } from './fetch-git.ts'
import type { ImportDeps, ImportOwner, NewImport } from './new-import.ts'
import { appendProgress, type ImportProgress } from './progress.ts'
import type { ImportRequest } from './read-request.ts'
import { deleteImportKeys } from './records/import-key.store.ts'
import { endRepoImport, findImportByStorage, type RepoImport } from './records/repo-import.store.ts'
import { deleteUnfinishedImport } from './records/unfinished-import.store.ts'

interface Insertion {
  readonly actor: SignedIn
  readonly storage: string
  readonly input: NewImport
  readonly request: ImportRequest
  readonly fetched: FetchedGit
}

/** Inserts the rows of a repository whose git data has been fetched; nobody sees it. */
export async function insertHidden(
  tx: Tx,
  { clock, rules, access }: ImportDeps,
  { actor, input, request, storage, fetched }: Insertion,
): Promise<RepoId> {
  const at = clock.now()
  const { interval } = request
  const isEmpty = fetched.branches.length === 0
  const id = await repoCreation.insertHidden(tx, {
    description: input.description ?? '',
    default_branch: fetched.defaultBranch,
    wiki_branch: fetched.wiki?.branch ?? rules.defaultBranch,
    wiki_oid: fetched.wiki?.oid ?? '',
    object_format: fetched.objectFormat,
    storage,
    is_mirror: flag(interval !== undefined),
    original_url: request.url,
    units: interval === undefined ? rules.units.normal : rules.units.mirror,
    git_size: fetched.size,
    is_empty: flag(isEmpty),
    branches_count: fetched.branches.length,
    pushed_at: isEmpty ? 0 : at,
    created_at: at,
    updated_at: at,
  })
  await branchQueries.upsert(tx, { repoId: id, pusherId: actor.account.id, at }, fetched.branches)
  if (interval === undefined) return id
  await mirrorQueries.insert(tx, {
    repo_id: id,
    interval,
    synced_at: at,
    next_sync_at: interval === 0 ? 0 : at + interval,
    remote_url: request.url,
    credentials: access.seal(request.credentials),
    remote_head: fetched.remoteHead,
    has_wiki: flag(fetched.wiki !== undefined),
    has_lfs: flag(request.lfs),
    lfs_endpoint: access.sealEndpoint(request.lfsEndpoint),
  })
  return id
}

const COUNTERS = { ...issueQueries.repoCounters, ...releaseQueries.repoCounters, ...lfsQueries.repoCounters }

interface Finish extends ImportOwner {
  readonly input: NewImport
  readonly begun: RepoImport
  readonly repoId: RepoId
  readonly progress: Pick<ImportProgress, 'storedWarnings' | 'warn'>
}

/** Transfers the repository to its owner, and ends the import. Throws Conflict if the name is taken by now. */
export async function finishImport(
  tx: Tx,
  deps: ImportDeps,
  { actor, owner, input, begun, repoId, progress }: Finish,
): Promise<void> {
  const { clock, rules, events, jobs } = deps
  const { name, isPrivate = false } = input
  const at = clock.now()
  await requireBelowLimit(tx, deps, actor, owner)
  if (await repoQueries.findByName(tx, owner, name)) throw repoCreation.nameConflict()
  await repoCreation.reveal(tx, repoId, {
    ownerId: owner.id,
    name,
    isPrivate: rules.forcePrivate || isPrivate,
    watchersCount: rules.autoWatch ? 1 : 0,
    at,
  })
  for (const [column, count] of Object.entries(COUNTERS)) await repoQueries.recount(tx, { column, count }, [repoId])
  await repoCreation.record(tx, events, { id: repoId, name, actor, owner, at, watch: rules.autoWatch })
  await jobs.enqueue(tx, 'repo.maintain', { repo_id: repoId }, { key: String(repoId) })
  await endImport(tx, deps, { actor, input, begun, repoId, progress, at })
}

/** Derived data that a push updates. */
const AFTER_PUSH = ['repo.index_code', 'repo.languages', 'repo.maintain', 'repo.measure'] as const

/** Ends an import of changes. */
export async function finishChanges(
  tx: Tx,
  deps: ImportDeps,
  { actor, input, begun, repoId, progress }: Finish,
): Promise<void> {
  for (const [column, count] of Object.entries(COUNTERS)) await repoQueries.recount(tx, { column, count }, [repoId])
  for (const kind of AFTER_PUSH) await deps.jobs.enqueue(tx, kind, { repo_id: repoId }, { key: String(repoId) })
  await endImport(tx, deps, { actor, input, begun, repoId, progress, at: deps.clock.now() })
}

interface End extends Omit<Finish, 'owner'> {
  readonly at: number
}

async function endImport(
  tx: Tx,
  { events, jobs }: ImportDeps,
  { actor, input, begun, repoId, progress, at }: End,
): Promise<void> {
  if (input.keepsAssignees !== true) await dropStrangers(tx, repoId, progress)
  // Only an administrator may decide who wrote something.
  if (isSiteAdmin(actor)) {
    await insertImportedAuthors(tx, repoId, new URL(input.address).origin)
    await jobs.enqueue(tx, 'imports.map_authors', {}, { key: 'all' })
  }
  await deleteImportKeys(tx, repoId)
  await deleteUnfinishedImport(tx, begun.storage)
  await endRepoImport(tx, { ...begun, state: 'done', error: '', repoId, at }, progress.storedWarnings())
  if (begun.isAsync) await appendProgress(tx, events, { id: begun.id, at })
}

/** Mapped accounts are no assignees and reviewers of a repository that they cannot read. */
async function dropStrangers(tx: Tx, repoId: RepoId, { warn }: Pick<ImportProgress, 'warn'>): Promise<void> {
  const repo = await accessQueries.getCreatedRepo(tx, repoId)
  for (const name of await issueImports.dropAssignees(tx, repo))
    warn(`assignments of ${name} were left out: the account may not see the issues of the new repository`)
  for (const name of await reviewImports.dropRequests(tx, repo))
    warn(`requested reviews of ${name} were left out: the account may not see the pull requests of the new repository`)
}

/** Deletes the rows and the files of an import that is not complete, and ends it. */
export async function abandonImport(
  { database, git, events, clock, jobs }: Pick<ImportDeps, 'clock' | 'database' | 'events' | 'git' | 'jobs'>,
  storage: string,
  end: { readonly state: 'canceled' | 'failed'; readonly error: string },
): Promise<void> {
  const at = clock.now()
  const begun = await findImportByStorage(database.read, storage)
  if (begun?.state === 'done') return
  const id = begun?.repoId
  if (id !== undefined) {
    // NOTE: in many transactions: other writers would wait for the deletion of a large import.
    while (await database.transaction((tx) => issueImports.deleteSome(tx, id))) continue
    await database.transaction((tx) => repoCreation.deleteHidden(tx, events, { id, at }))
  }
  await git.removeRepo(storage)
  await git.removeRepo(`${storage}.wiki`)
  await database.transaction(async (tx) => {
    await deleteUnfinishedImport(tx, storage)
    if (begun === undefined) return
    // Large files are linked at the end of an import only.
    if (id !== undefined) await jobs.enqueue(tx, 'attachments.sweep', {}, { key: 'all' })
    await endRepoImport(tx, { ...begun, ...end, repoId: 0, at })
    if (begun.isAsync) await appendProgress(tx, events, { id: begun.id, at })
  })
}

export async function requireQuota(deps: ImportDeps, actor: SignedIn, owner: User): Promise<void> {
  await requireBelowLimit(deps.database.read, deps, actor, owner)
  await deps.quota.require(owner, 'size:repos:all')
}

async function requireBelowLimit(db: Db, { rules }: ImportDeps, actor: SignedIn, owner: User): Promise<void> {
  if (!isSiteAdmin(actor) && (await repoCreation.limitProblem(db, owner, rules.maxCreation)) !== undefined) {
    throw invalid(
      `You have already reached your limit of ${owner.maxRepoCreation >= 0 ? owner.maxRepoCreation : rules.maxCreation} repositories.`,
    )
  }
}
