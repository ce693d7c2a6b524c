import { isSiteAdmin, type SignedIn } from '../../../access/viewer.ts'
import type { Database } from '../../../db/database.ts'
import type { Events } from '../../../events/index.ts'
import { type FirstCommit, type FirstFile, type Git, isValidBranchName } from '../../../git/index.ts'
import type { Clock } from '../../../platform/clock.ts'
import { randomHex } from '../../../platform/crypto.ts'
import { conflict, forbidden, invalid, invalidField, notFound } from '../../../platform/errors.ts'
import type { DiskQuota } from '../../quota/index.ts'
import { type CommitSigner, signedBy } from '../../signing/index.ts'
import { labelsOfSet } from '../../templates/index.ts'
import { commitIdentity, findUserById, type User } from '../../users/index.ts'
import type { RepoRules } from '../repo-rules.ts'
import { findRepoById, findRepoByName, type Repo } from '../repo.store.ts'
import { firstFiles } from './first-files.ts'
import { insertNewRepo, type NewRepo, type RepoPlan } from './insert-new-repo.ts'
import { limitReached, requireUnrestricted } from './owner-limits.ts'
import { requireRepoName } from './repo-name.ts'

export interface CreateRepoDeps {
  readonly database: Database
  readonly git: Git
  readonly clock: Clock
  readonly events: Events
  readonly rules: RepoRules
  readonly quota: DiskQuota
  /** Signs the first commits that the server makes. */
  readonly signer?: CommitSigner | undefined
}

const STORAGE_BYTES = 16

/**
 * Creates a repository: first the git directory under a new random key, then its rows in one transaction. A crash in
 * between leaves a directory without a row, which `doctor` deletes; never a row without a directory.
 * Throws invalid (name, branch, format), conflict (taken), forbidden (limit).
 */
export async function createRepo(deps: CreateRepoDeps, viewer: SignedIn, owner: User, input: NewRepo): Promise<Repo> {
  requireUnrestricted(viewer)
  requireRepoName(input.name)
  const plan = planRepo(deps, owner, input)
  const { database, git } = deps
  await requireRoom(deps, viewer, owner)
  if (await findRepoByName(database.read, owner, input.name)) throw taken()
  const { storage, files, ...fresh } = plan
  const { head } = await git.createRepo(
    storage,
    files.length === 0 ? fresh : { ...fresh, firstCommit: await firstCommit(deps, viewer, files) },
  )
  try {
    const { bytes } = await git.measureRepo(plan.storage)
    const id = await database.transaction((tx) => insertNewRepo(tx, deps, { viewer, owner, input, plan, head, bytes }))
    const made = await findRepoById(database.read, id)
    if (made === undefined) throw notFound('the repository was deleted at once')
    return made
  } catch (error) {
    await git.removeRepo(plan.storage)
    if (database.dialect.isUniqueViolation(error)) throw taken()
    throw error
  }
}

interface Plan extends RepoPlan {
  /** Of the first commit; without any the repository is empty. */
  readonly files: readonly FirstFile[]
}

function planRepo({ rules, clock }: CreateRepoDeps, owner: User, input: NewRepo): Plan {
  const defaultBranch = input.defaultBranch || rules.defaultBranch
  if (!isValidBranchName(defaultBranch)) throw invalidField('DefaultBranch', 'GitRefName')
  const objectFormat = input.objectFormat || 'sha1'
  if (objectFormat !== 'sha1' && objectFormat !== 'sha256') throw invalid(`unsupported object format: ${objectFormat}`)
  if (input.labelSet) labelsOfSet(input.labelSet)
  const { name, description = '', readme = '', gitignores = '', license = '' } = input
  const year = new Date(clock.now()).getUTCFullYear()
  const files = input.autoInit
    ? firstFiles({ name, description, owner: owner.fullName || owner.name, year, readme, gitignores, license })
    : []
  return { storage: newStorageKey(), defaultBranch, objectFormat, files }
}

async function firstCommit(
  { database, clock, rules, signer }: CreateRepoDeps,
  viewer: SignedIn,
  files: readonly FirstFile[],
): Promise<FirstCommit> {
  const user = await findUserById(database.read, viewer.account.id)
  if (user === undefined) throw notFound('the account was deleted')
  const identity = { ...commitIdentity(user, rules.noReplyDomain), time: Math.floor(clock.now() / 1000), offset: 0 }
  const commit = { files, author: identity, committer: identity, message: 'Initial commit\n' }
  return signer === undefined
    ? commit
    : { ...commit, ...signedBy(signer, commit), sign: (payload) => signer.sign(payload) }
}

/** A key that no repository had or will have: `ab/abcdef…`. */
export function newStorageKey(): string {
  const key = randomHex(STORAGE_BYTES)
  return `${key.slice(0, 2)}/${key}`
}

export const taken = (): Error => conflict('The repository with the same name already exists.')

export async function requireRoom(
  { database, rules, quota }: CreateRepoDeps,
  viewer: SignedIn,
  owner: User,
): Promise<void> {
  const refusal = isSiteAdmin(viewer) ? undefined : await limitReached(database.read, owner, rules.maxCreation)
  if (refusal !== undefined) throw forbidden(refusal)
  await quota.require(owner, 'size:repos:all')
}
