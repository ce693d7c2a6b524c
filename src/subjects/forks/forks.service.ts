import { isSiteAdmin, type SignedIn, type Viewer } from '../../access/viewer.ts'
import type { Db, Tx } from '../../db/database.ts'
import { flag } from '../../db/flag.ts'
import { conflict, notFound } from '../../platform/errors.ts'
import type { RepoId } from '../../platform/ids.ts'
import type { Page, Paging } from '../../platform/paging.ts'
import { upsertCollaboration } from '../collaborators/index.ts'
import { findForkOf } from '../history/index.ts'
import { copyDefaultWebhooks } from '../hooks/index.ts'
import { copyRepoLanguages } from '../languages/index.ts'
import { copyLfsLinks } from '../lfs/index.ts'
import {
  addToRepoCounter,
  chooseCreatorMode,
  type CreateRepoDeps,
  findRepoById,
  findRepoByName,
  insertRepo,
  limitReached,
  type NewRepoFacts,
  newStorageKey,
  type Repo,
  requireRepoName,
  requireUnrestricted,
  upsertBranches,
} from '../repos/index.ts'
import { watchNewRepo } from '../social/index.ts'
import { requireUnblocked, type User } from '../users/index.ts'
import { listForks } from './fork.store.ts'

export interface Forks {
  /** Those that the viewer may see, oldest first. */
  list(viewer: Viewer, base: Repo, paging: Paging): Promise<Page<Repo>>
  /**
   * A complete fork for an owner for whom the viewer may create; throws conflict (forked already, name taken, limit),
   * invalid (name) and forbidden (blocked by the owner).
   */
  create(viewer: SignedIn, base: Repo, target: { readonly owner: User; readonly name: string }): Promise<Repo>
}

export interface ForkDeps extends CreateRepoDeps {
  /** Owners at their limit may still fork. */
  readonly beyondLimit: boolean
}

export function createForks(deps: ForkDeps): Forks {
  return {
    list: (viewer, base, paging) => listForks(deps.database.read, base.id, viewer, paging),
    create: (viewer, base, target) => fork(deps, viewer, base, target),
  }
}

interface Target {
  readonly owner: User
  readonly name: string
}

async function fork(deps: ForkDeps, viewer: SignedIn, base: Repo, target: Target): Promise<Repo> {
  requireUnrestricted(viewer)
  requireRepoName(target.name)
  const { database, git } = deps
  await requireUnblocked(database.read, viewer.account.id, [base.ownerId])
  await requireFree(database.read, base, target)
  const refusal =
    deps.beyondLimit || isSiteAdmin(viewer)
      ? undefined
      : await limitReached(database.read, target.owner, deps.rules.maxCreation)
  if (refusal !== undefined) throw conflict(refusal)
  await deps.quota.require(target.owner, 'size:repos:all')
  const storage = newStorageKey()
  await git.forkRepo(base, storage, { defaultBranch: base.defaultBranch })
  try {
    const refs = (await git.open({ storage, objectFormat: base.objectFormat }).refs.snapshot()).list(BRANCHES)
    const branches = refs.map(({ name, oid }) => ({ name: name.slice(BRANCHES.length), oid }))
    const { bytes } = await git.measureRepo(storage)
    const id = await database.transaction((tx) =>
      insertFork(tx, deps, { viewer, baseId: base.id, target, storage, branches, bytes }),
    )
    return (await findRepoById(database.read, id))!
  } catch (error) {
    await git.removeRepo(storage)
    if (database.dialect.isUniqueViolation(error)) throw nameTaken(target)
    throw error
  }
}

const BRANCHES = 'refs/heads/'
const nameTaken = ({ owner, name }: Target): Error =>
  conflict(`repository already exists [uname: ${owner.name}, name: ${name}]`)

async function requireFree(db: Db, base: Repo, target: Target): Promise<void> {
  const other = await findForkOf(db, base.id, target.owner)
  if (other !== undefined)
    throw conflict(
      `repository is already forked by user [uname: ${target.owner.name}, repo path: ${base.fullName}, fork path: ${other.fullName}]`,
    )
  if (await findRepoByName(db, target.owner, target.name)) throw nameTaken(target)
}

interface Insertion {
  readonly viewer: SignedIn
  readonly baseId: RepoId
  readonly target: Target
  readonly storage: string
  readonly branches: readonly { readonly name: string; readonly oid: string }[]
  /** On disk, without what it shares with its base. */
  readonly bytes: number
}

async function insertFork(
  tx: Tx,
  { clock, events, rules }: ForkDeps,
  { viewer, baseId, target, storage, branches, bytes }: Insertion,
): Promise<RepoId> {
  const at = clock.now()
  const base = await findRepoById(tx, baseId)
  if (base === undefined) throw notFound('repository does not exist')
  await requireUnblocked(tx, viewer.account.id, [base.ownerId])
  // NOTE: counted before the look for another fork: the row of the base is locked from here on, so forks of it come one
  // after the other.
  await addToRepoCounter(tx, base.id, 'forks_count', 1)
  await requireFree(tx, base, target)
  const id = await insertRepo(tx, {
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
  await upsertBranches(tx, { repoId: id, pusherId: viewer.account.id, at }, branches)
  await copyLfsLinks(tx, base.id, id, at)
  await copyRepoLanguages(tx, base.id, id)
  await copyDefaultWebhooks(tx, id, at)
  await addCreator(tx, { id, viewer, owner: target.owner, at, watch: rules.autoWatch })
  await events.append(
    tx,
    'repo.forked',
    { actorId: viewer.account.id, repoId: base.id, at },
    { repo_id: base.id, fork_id: id },
  )
  return id
}

/** What `repo.created` does for other new repositories: the creator watches the fork and may administer it. */
async function addCreator(
  tx: Tx,
  { id, viewer, owner, at, watch }: Pick<NewRepoFacts, 'id' | 'viewer' | 'owner' | 'at' | 'watch'>,
): Promise<void> {
  const creatorId = viewer.account.id
  const orgId = owner.kind === 'organization' ? owner.id : undefined
  if (watch) await watchNewRepo(tx, { repoId: id, creatorId, orgId, at })
  const mode = await chooseCreatorMode(tx, { id, viewer, owner })
  if (mode !== undefined) await upsertCollaboration(tx, id, creatorId, { mode, at })
}
