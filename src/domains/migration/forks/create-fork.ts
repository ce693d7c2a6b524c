import { isSiteAdmin, type SignedIn } from '../../../core/access/viewer.ts'
import type { Db, Tx } from '../../../core/db/database.ts'
import { flag } from '../../../core/db/flag.ts'
import { conflict } from '../../../core/platform/errors.ts'
import { errors } from '../../errors.ts'
import type { RepoId } from '../../../core/platform/crypto/ids.ts'
import {
  type CreateRepoDeps,
  type Repo,
  repoQueries,
  repoCreation,
  accessQueries,
  branchQueries,
  collaboratorQueries,
  socialQueries,
} from '../../repositories/index.ts'
import { lfsQueries, languageQueries, forkQueries } from '../../code/index.ts'
import { webhookQueries } from '../../delivery/index.ts'
import { type User, blockQueries } from '../../accounts/index.ts'

export interface ForkDeps extends CreateRepoDeps {
  /** Owners who have reached their limit may still fork. */
  readonly beyondLimit: boolean
}

export interface ForkTarget {
  readonly owner: User
  readonly name: string
}

/** Creates a fork: first the git directory, which shares the objects of the base, then its rows in one transaction. */
export async function createFork(deps: ForkDeps, actor: SignedIn, base: Repo, target: ForkTarget): Promise<Repo> {
  repoCreation.requireUnrestricted(actor)
  repoCreation.requireName(target.name)
  const { database, git } = deps
  await blockQueries.requireUnblocked(database.read, actor.account.id, [base.ownerId])
  await requireFree(database.read, base, target)
  await requireBelowLimit(database.read, deps, actor, target.owner)
  await deps.quota.require(target.owner, 'size:repos:all')
  const storage = repoCreation.newStorageKey()
  await git.forkRepo(base, storage, { defaultBranch: base.defaultBranch })
  try {
    const refs = (await git.open({ storage, objectFormat: base.objectFormat }).refs.snapshot()).list(BRANCHES)
    const branches = refs.map(({ name, oid }) => ({ name: name.slice(BRANCHES.length), oid }))
    const { bytes } = await git.measureRepo(storage)
    const id = await database.transaction((tx) =>
      insertFork(tx, deps, { actor, baseId: base.id, target, storage, branches, bytes }),
    )
    return accessQueries.getCreatedRepo(database.read, id)
  } catch (error) {
    await git.removeRepo(storage)
    if (database.dialect.isUniqueViolation(error)) throw nameTaken(target)
    throw error
  }
}

/** Throws conflict when the owner has reached its limit, if the limit applies to forks. */
async function requireBelowLimit(db: Db, deps: ForkDeps, actor: SignedIn, owner: User): Promise<void> {
  if (deps.beyondLimit || isSiteAdmin(actor)) return
  const problem = await repoCreation.limitProblem(db, owner, deps.rules.maxCreation)
  if (problem !== undefined) throw conflict(problem)
}

const BRANCHES = 'refs/heads/'
const nameTaken = ({ owner, name }: ForkTarget): Error =>
  conflict(`repository already exists [uname: ${owner.name}, name: ${name}]`)

async function requireFree(db: Db, base: Repo, target: ForkTarget): Promise<void> {
  const other = await forkQueries.findOf(db, base.id, target.owner)
  if (other !== undefined) throw errors.forkExists(target.owner.name, base.fullName, other.fullName)
  if (await repoQueries.findByName(db, target.owner, target.name)) throw nameTaken(target)
}

interface Insertion {
  readonly actor: SignedIn
  readonly baseId: RepoId
  readonly target: ForkTarget
  readonly storage: string
  readonly branches: readonly { readonly name: string; readonly oid: string }[]
  /** Size on disk without the shared objects of its base. */
  readonly bytes: number
}

async function insertFork(
  tx: Tx,
  deps: ForkDeps,
  { actor, baseId, target, storage, branches, bytes }: Insertion,
): Promise<RepoId> {
  const { clock, events, rules } = deps
  const at = clock.now()
  const base = await repoQueries.findById(tx, baseId)
  if (base === undefined) throw errors.repoNotFound()
  await blockQueries.requireUnblocked(tx, actor.account.id, [base.ownerId])
  await requireBelowLimit(tx, deps, actor, target.owner)
  // NOTE: locks the row of the base, so that concurrent requests cannot insert another fork between the check and the
  // insertion.
  await repoQueries.addToCounter(tx, base.id, 'forks_count', 1)
  await requireFree(tx, base, target)
  const id = await repoCreation.insert(tx, {
    owner_id: target.owner.id,
    name: target.name,
    lower_name: target.name.toLowerCase(),
    description: base.description,
    default_branch: base.defaultBranch,
    wiki_branch: rules.defaultBranch,
    object_format: base.objectFormat,
    storage,
    is_private: flag(base.isPrivate || base.owner.visibility === 'private'),
    git_size: bytes,
    is_fork: 1,
    fork_id: base.id,
    units: rules.units.fork,
    trust_model: base.trustModel,
    licenses: JSON.stringify(base.licenses),
    primary_language: base.primaryLanguage ?? '',
    watchers_count: rules.autoWatch ? 1 : 0,
    is_empty: flag(branches.length === 0),
    branches_count: branches.length,
    pushed_at: branches.length === 0 ? 0 : at,
    created_at: at,
    updated_at: at,
  })
  await branchQueries.upsert(tx, { repoId: id, pusherId: actor.account.id, at }, branches)
  await lfsQueries.copyLinks(tx, base.id, id, at)
  await languageQueries.copy(tx, base.id, id)
  await webhookQueries.copyDefaults(tx, id, at)
  await addCreator(tx, { id, actor, owner: target.owner, at, watch: rules.autoWatch })
  await events.append(tx, 'repo.forked', { actor, repoId: base.id, at }, { repo_id: base.id, fork_id: id })
  await events.append(tx, 'fork.created', { actor, repoId: id, at }, { repo_id: id, base_id: base.id })
  return id
}

/**
 * Like the projections of `repo.created` for other new repositories: makes the creator a watcher and an administrator
 * of the fork.
 */
async function addCreator(
  tx: Tx,
  {
    id,
    actor,
    owner,
    at,
    watch,
  }: Pick<Parameters<typeof repoCreation.record>[2], 'id' | 'actor' | 'owner' | 'at' | 'watch'>,
): Promise<void> {
  const creatorId = actor.account.id
  const orgId = owner.kind === 'organization' ? owner.id : undefined
  if (watch) await socialQueries.watchNewRepo(tx, { repoId: id, creatorId, orgId, at })
  const mode = await repoCreation.decideCreatorMode(tx, { id, actor, owner })
  if (mode !== undefined) await collaboratorQueries.upsert(tx, id, creatorId, { mode, at })
}
