import { isRestrictedToken, isSiteAdmin, type SignedIn } from '../../../access/viewer.ts'
import type { Database, Db } from '../../../db/database.ts'
import { randomHex } from '../../../platform/crypto/crypto.ts'
import { conflict, forbidden, invalid, invalidField } from '../../../platform/errors.ts'
import { repoNameProblem } from '../../users/index.ts'
import type { DiskQuota } from '../../quota/index.ts'
import type { User } from '../../users/index.ts'
import { countReposOf } from '../repo.store.ts'

const STORAGE_BYTES = 16

/** A random key for a git directory, `ab/abcdef…`, that no other repository has. */
export function newStorageKey(): string {
  const key = randomHex(STORAGE_BYTES)
  return `${key.slice(0, 2)}/${key}`
}

/**
 * Throws invalid, with `field` in its text, for a name that repositories cannot have
 * (behaviour/auth-and-access#names-and-passwords).
 */
export function requireRepoName(name: string, field = 'Name'): void {
  const problem = repoNameProblem(name)
  if (problem !== undefined) throw 'rule' in problem ? invalidField(field, problem.rule) : invalid(problem.message)
}

/** Throws forbidden for a token restricted to repositories: it could not use a repository that it creates. */
export function requireUnrestricted(actor: SignedIn): void {
  if (isRestrictedToken(actor)) throw forbidden('this token is restricted to repositories and may not make others')
}

/**
 * The text of the refusal when the owner has as many repositories as it may have, or undefined. The owner's own limit
 * overrides the server's; the number in the text is the owner's own (behaviour/auth-and-access#limits).
 */
export async function repoLimitProblem(db: Db, owner: User, serverLimit: number): Promise<string | undefined> {
  const limit = owner.maxRepoCreation >= 0 ? owner.maxRepoCreation : serverLimit
  if (limit < 0 || (await countReposOf(db, owner.id)) < limit) return undefined
  return `user has reached maximum limit of repositories [limit: ${owner.maxRepoCreation}]`
}

interface CapacityDeps {
  readonly database: Database
  readonly quota: DiskQuota
  readonly rules: { readonly maxCreation: number }
}

/**
 * Throws forbidden at the owner's limit of repositories, except for site administrators; QuotaExceeded at its quota.
 */
export async function requireCapacity(
  { database, rules, quota }: CapacityDeps,
  actor: SignedIn,
  owner: User,
): Promise<void> {
  const problem = isSiteAdmin(actor) ? undefined : await repoLimitProblem(database.read, owner, rules.maxCreation)
  if (problem !== undefined) throw forbidden(problem)
  await quota.require(owner, 'size:repos:all')
}

/** The owner has a repository of this name. */
export const repoNameConflict = (): Error => conflict('The repository with the same name already exists.')
