import type { Core, Services } from '../../../core/module.ts'
import type { SignedIn } from '../../../core/access/viewer.ts'
import type { Tx } from '../../../core/db/database.ts'
import { flag } from '../../../core/db/flag.ts'
import { type UnadoptedRepo, isGitError, type NewRepo as AdoptedRepo } from '../../../core/git/index.ts'
import { invalid, notFound } from '../../../core/platform/errors.ts'
import { errors } from '../../errors.ts'
import { type Page, pageOf, type Paging } from '../../../core/platform/paging.ts'
import { forEachPausing } from '../../../core/platform/concurrency/pauses.ts'
import { compileGlob } from '../../../core/platform/patterns/glob.ts'
import { pushRules } from '../../code/index.ts'
import { repoQueries, repoCreation, branchQueries } from '../../repositories/index.ts'
import { type User, userQueries } from '../../accounts/index.ts'
import { listKnownNames } from './admin.store.ts'

export interface AdoptionDeps extends Pick<Core, 'database' | 'git' | 'events' | 'jobs' | 'clock'> {
  readonly rules: Services['repoRules']
}

const BRANCHES = 'refs/heads/'

export type Adoption = ReturnType<typeof createAdoption>

/**
 * Git repositories on disk as `git/adopt/<owner>/<name>.git` without a row
 * (behaviour/users-and-admin#other-administration).
 */
export function createAdoption(deps: AdoptionDeps) {
  const { database, git } = deps
  const find = async (ownerName: string, name: string): Promise<{ owner: User; found: UnadoptedRepo }> => {
    const owner = await userQueries.findByName(database.read, ownerName)
    if (owner === undefined) throw errors.userNotFound()
    if (await repoQueries.findByName(database.read, owner, name)) throw notFound('the repository has a row already')
    const [wantedOwner, wanted] = [owner.name.toLowerCase(), name.toLowerCase()]
    const found = (await git.adoptions.list()).find(
      (one) => one.owner.toLowerCase() === wantedOwner && one.name.toLowerCase() === wanted,
    )
    if (found === undefined) throw notFound('there are no files of such a repository')
    return { owner, found }
  }
  return {
    /** `owner/name`, A-Z; the pattern is a glob over names, or over `owner/name` when it contains a slash. */
    async list(pattern: string, paging: Paging): Promise<Page<string>> {
      const all = await git.adoptions.list()
      const adopted = await listKnownNames(database.read, all)
      const fits = matcher(pattern)
      const unadopted: string[] = []
      await forEachPausing(all, (one) => {
        const fullName = `${one.owner}/${one.name}`
        if (!adopted.has(fullName.toLowerCase()) && fits(one)) unadopted.push(fullName)
      })
      return pageOf(unadopted.toSorted(), paging)
    },
    /**
     * Adopts the directory as a private repository of its owner. Throws NotFound for an unknown owner, a repository
     * with a row, or a missing directory; Invalid for a directory that git cannot read.
     */
    async adopt(admin: SignedIn, ownerName: string, name: string): Promise<void> {
      const { owner, found } = await find(ownerName, name)
      repoCreation.requireName(found.name)
      await adoptRepo(deps, admin, { owner, found })
      await git.adoptions.discard(found)
    },
    /** Deletes the files. Throws NotFound as `adopt`. */
    async discard(admin: SignedIn, ownerName: string, name: string): Promise<void> {
      const { owner, found } = await find(ownerName, name)
      await database.transaction((tx) =>
        deps.events.append(
          tx,
          'admin.unadopted_deleted',
          { actor: admin, repoId: 0, at: deps.clock.now() },
          { owner_id: owner.id, name: found.name },
        ),
      )
      await git.adoptions.discard(found)
    },
  }
}

function matcher(pattern: string): (found: UnadoptedRepo) => boolean {
  if (pattern === '') return () => true
  const text = pattern.toLowerCase()
  const matches = compileGlob(text)
  return ({ owner, name }) => matches((text.includes('/') ? `${owner}/${name}` : name).toLowerCase())
}

interface Adopted {
  readonly owner: User
  readonly found: UnadoptedRepo
}

/** Like for a new repository: first the directory, then one transaction; the original is deleted only after both. */
async function adoptRepo(deps: AdoptionDeps, admin: SignedIn, { owner, found }: Adopted): Promise<void> {
  const { database, git } = deps
  const storage = repoCreation.newStorageKey()
  const basics = await git.adoptions.adopt(found, storage).catch((error: unknown) => {
    throw isGitError(error, 'invalid') ? invalid(error.message) : error
  })
  try {
    const { refs } = git.open({ storage, objectFormat: basics.objectFormat })
    const branches = (await refs.snapshot())
      .list(BRANCHES)
      .map(({ name, oid }) => ({ name: name.slice(BRANCHES.length), oid }))
    const defaultBranch =
      pushRules.firstDefaultBranch(
        branches.map((branch) => branch.name),
        basics.defaultBranch,
      ) ?? basics.defaultBranch
    if (defaultBranch !== basics.defaultBranch) await refs.setHead(defaultBranch)
    await database.transaction((tx) =>
      insertRows(tx, deps, { admin, owner, name: found.name, storage, branches, basics: { ...basics, defaultBranch } }),
    )
  } catch (error) {
    await git.removeRepo(storage)
    throw database.dialect.isUniqueViolation(error) ? repoCreation.nameConflict() : error
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
  { clock, rules, events, jobs }: AdoptionDeps,
  { admin, owner, name, storage, basics, branches }: Rows,
): Promise<void> {
  const at = clock.now()
  const id = await repoCreation.insert(tx, {
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
  await branchQueries.upsert(tx, { repoId: id, pusherId: admin.account.id, at }, branches)
  await repoCreation.record(tx, events, { id, name, actor: admin, owner, at, watch: false })
  const payload = { repo_id: id, owner_id: owner.id, name }
  await events.append(tx, 'admin.repo_adopted', { actor: admin, repoId: id, at }, payload)
  await jobs.enqueue(tx, 'repo.maintain', { repo_id: id }, { key: String(id) })
}
