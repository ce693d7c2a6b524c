import type { SignedIn } from '../../access/viewer.ts'
import type { Tx } from '../../db/database.ts'
import { flag } from '../../db/flag.ts'
import { appendEvent } from '../../events/index.ts'
import { type Foundling, isGitError, type NewRepo as AdoptedRepo } from '../../git/index.ts'
import { enqueue } from '../../jobs/index.ts'
import { invalid, notFound } from '../../platform/errors.ts'
import { type Page, pageOf, type Paging } from '../../platform/paging.ts'
import { compileGlob } from '../../platform/patterns/glob.ts'
import { firstDefaultBranch } from '../protections/push-rules.policy.ts'
import { type CreateRepoDeps, newStorageKey, taken, tieCreator } from '../repos/creation/create-repo.ts'
import { requireRepoName } from '../repos/creation/repo-name.ts'
import { upsertBranches } from '../repos/push.store.ts'
import { findRepoByName, insertRepo } from '../repos/repo.store.ts'
import { findUserByName, type User } from '../users/user.store.ts'
import { listKnownNames } from './adoption.store.ts'

/**
 * Repositories that lie on disk as `git/adopt/<owner>/<name>.git` and are not known yet (reference users-and-admin
 * §14).
 */
export interface Adoption {
  /** `owner/name`, A-Z; the pattern is a glob over names, or over both when it has a slash. */
  list(pattern: string, paging: Paging): Promise<Page<string>>
  /**
   * Makes it a private repository of its owner. Throws NotFound for an unknown owner, a known repository and nothing on
   * disk; Invalid for what git cannot take in.
   */
  adopt(admin: SignedIn, owner: string, name: string): Promise<void>
  /** Removes the files. Throws NotFound as adopt. */
  discard(owner: string, name: string): Promise<void>
}

const BRANCHES = 'refs/heads/'

export function createAdoption(deps: CreateRepoDeps): Adoption {
  const { database, git } = deps
  const find = async (ownerName: string, name: string): Promise<{ owner: User; found: Foundling }> => {
    const owner = await findUserByName(database.read, ownerName)
    if (owner === undefined) throw notFound('user does not exist')
    if (await findRepoByName(database.read, owner, name)) throw notFound('the repository is known already')
    const [wantedOwner, wanted] = [owner.name.toLowerCase(), name.toLowerCase()]
    const found = (await git.adoptions.list()).find(
      (one) => one.owner.toLowerCase() === wantedOwner && one.name.toLowerCase() === wanted,
    )
    if (found === undefined) throw notFound('there are no files of such a repository')
    return { owner, found }
  }
  return {
    async list(pattern, paging) {
      const all = await git.adoptions.list()
      const known = await listKnownNames(database.read, all)
      const fits = matcher(pattern)
      const left = all
        .filter((one) => !known.has(`${one.owner}/${one.name}`.toLowerCase()) && fits(one))
        .map(({ owner, name }) => `${owner}/${name}`)
      return pageOf(left.toSorted(), paging)
    },
    async adopt(admin, ownerName, name) {
      const { owner, found } = await find(ownerName, name)
      requireRepoName(found.name)
      await takeIn(deps, admin, { owner, found })
      await git.adoptions.discard(found)
    },
    async discard(ownerName, name) {
      const { found } = await find(ownerName, name)
      await git.adoptions.discard(found)
    },
  }
}

function matcher(pattern: string): (found: Foundling) => boolean {
  if (pattern === '') return () => true
  const text = pattern.toLowerCase()
  const matches = compileGlob(text)
  return ({ owner, name }) => matches((text.includes('/') ? `${owner}/${name}` : name).toLowerCase())
}

interface Adopted {
  readonly owner: User
  readonly found: Foundling
}

/** As for a new repository: the directory first, then one transaction; the original is there until both are. */
async function takeIn(deps: CreateRepoDeps, admin: SignedIn, { owner, found }: Adopted): Promise<void> {
  const { database, git } = deps
  const storage = newStorageKey()
  const basics = await git.adoptions.adopt(found, storage).catch((error: unknown) => {
    throw isGitError(error, 'invalid') ? invalid(error.message) : error
  })
  try {
    const { refs } = git.open({ storage, objectFormat: basics.objectFormat })
    const branches = (await refs.snapshot())
      .list(BRANCHES)
      .map(({ name, oid }) => ({ name: name.slice(BRANCHES.length), oid }))
    const defaultBranch =
      firstDefaultBranch(
        branches.map((branch) => branch.name),
        basics.defaultBranch,
      ) ?? basics.defaultBranch
    if (defaultBranch !== basics.defaultBranch) await refs.setHead(defaultBranch)
    await database.transaction((tx) =>
      insertRows(tx, deps, { admin, owner, name: found.name, storage, branches, basics: { ...basics, defaultBranch } }),
    )
  } catch (error) {
    await git.removeRepo(storage)
    throw database.dialect.isUniqueViolation(error) ? taken() : error
  }
}

interface Rows {
  readonly admin: SignedIn
  readonly owner: User
  readonly name: string
  readonly storage: string
  readonly basics: AdoptedRepo
  readonly branches: readonly { readonly name: string; readonly oid: string }[]
}

async function insertRows(
  tx: Tx,
  { clock, rules }: CreateRepoDeps,
  { admin, owner, name, storage, basics, branches }: Rows,
): Promise<void> {
  const at = clock.now()
  const id = await insertRepo(tx, {
    owner_id: owner.id,
    name,
    lower_name: name.toLowerCase(),
    default_branch: basics.defaultBranch,
    wiki_branch: rules.defaultBranch,
    object_format: basics.objectFormat,
    storage,
    is_private: 1,
    units: rules.units.normal,
    is_empty: flag(branches.length === 0),
    branches_count: branches.length,
    pushed_at: branches.length === 0 ? 0 : at,
    created_at: at,
    updated_at: at,
  })
  await upsertBranches(tx, { repoId: id, pusherId: admin.account.id, at }, branches)
  await tieCreator(tx, { id, viewer: admin, owner, at, watch: false })
  await appendEvent(tx, 'repo.created', { actorId: admin.account.id, repoId: id, at }, { repo_id: id, name })
  await enqueue(tx, 'repo.maintain', { repo_id: id }, { now: at, key: String(id) })
}
