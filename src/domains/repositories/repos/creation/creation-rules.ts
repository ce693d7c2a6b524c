import { isRestrictedToken, isSiteAdmin, type SignedIn } from '../../../../core/access/viewer.ts'
import { type Database, type Db, isTx } from '../../../../core/db/database.ts'
import { randomHex } from '../../../../core/platform/crypto/crypto.ts'
import { conflict, forbidden, invalid, invalidField } from '../../../../core/platform/errors.ts'
import { type DiskQuota, type User, lockUsers, repoNameProblem } from '../../../accounts/index.ts'
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
 * overrides the server's (behaviour/auth-and-access#limits). Within a
 * transaction it locks the row of the owner, so that concurrent requests do not exceed the limit together.
 */
export async function repoLimitProblem(db: Db, owner: User, serverLimit: number): Promise<string | undefined> {
  const limit = owner.maxRepoCreation >= 0 ? owner.maxRepoCreation : serverLimit
  if (limit < 0) return undefined
  if (isTx(db)) await lockUsers(db, [owner.id])
  if ((await countReposOf(db, owner.id)) < limit) return undefined
  return `user has reached maximum limit of repositories [limit: ${limit}]`
}

interface LimitDeps {
  readonly rules: { readonly maxCreation: number }
}

interface CapacityDeps extends LimitDeps {
  readonly database: Database
  readonly quota: DiskQuota
}

/** Throws forbidden at the owner's limit of repositories, except for site administrators. */
export async function requireBelowLimit(db: Db, { rules }: LimitDeps, actor: SignedIn, owner: User): Promise<void> {
  const problem = isSiteAdmin(actor) ? undefined : await repoLimitProblem(db, owner, rules.maxCreation)
  if (problem !== undefined) throw forbidden(problem)
}

/**
 * Throws forbidden at the owner's limit of repositories, except for site administrators; QuotaExceeded at its quota.
 */
export async function requireCapacity(deps: CapacityDeps, actor: SignedIn, owner: User): Promise<void> {
  await requireBelowLimit(deps.database.read, deps, actor, owner)
  await deps.quota.require(owner, 'size:repos:all')
}

/** The owner has a repository of this name. */
export const repoNameConflict = (): Error => conflict('The repository with the same name already exists.')
