import type { Core, Services } from '../../../../core/module.ts'
import { type SignedIn, isRestrictedToken, isSiteAdmin } from '../../../../core/access/viewer.ts'
import { type FirstCommit, type FirstFile, isNewRefName } from '../../../../core/git/index.ts'
import { badRequest, engineErrors, forbidden, invalid, invalidField } from '../../../../core/platform/errors.ts'
import { errors } from '../../../errors.ts'
import { type User, commitIdentity, repoNameProblem, userQueries } from '../../../accounts/index.ts'
import { type CommitSigner, signedBy } from '../../signing/signing.ts'
import { labelsOfSet, renderGitignore, renderLicense } from '../../templates/templates.ts'
import type { RepoRules } from '../repo-rules.ts'
import { findRepoById, findRepoByName, type Repo, countReposOf } from '../repo.store.ts'
import { insertNewRepo, type NewRepo, type RepoPlan } from './insert-new-repo.ts'
import { type Tx, type Database, type Db, isTx } from '../../../../core/db/database.ts'
import type { RepoId } from '../../../../core/platform/crypto/ids.ts'
import { randomHex } from '../../../../core/platform/crypto/crypto.ts'

const STORAGE_BYTES = 16

/** A random key for a new git directory, `ab/abcdef…`. */
export function newStorageKey(): string {
  const key = randomHex(STORAGE_BYTES)
  return `${key.slice(0, 2)}/${key}`
}

/**
 * Throws Invalid, with `field` in its message, for an invalid name of a repository
 * (behaviour/auth-and-access#names-and-passwords).
 */
export function requireRepoName(name: string, field = 'Name'): void {
  const problem = repoNameProblem(name)
  if (problem !== undefined) throw 'rule' in problem ? invalidField(field, problem.rule) : invalid(problem.message)
}

/** Throws Forbidden for a token restricted to repositories: it could not use a repository that it creates. */
export function requireUnrestricted(actor: SignedIn): void {
  if (isRestrictedToken(actor)) throw forbidden('this token is restricted to repositories and may not make others')
}

/**
 * The message of the refusal if the owner has the maximum number of repositories; otherwise undefined. The limit of the
 * owner overrides that of the server (behaviour/auth-and-access#limits). In a transaction it locks the row of the
 * owner, so that concurrent requests cannot exceed the limit together.
 */
export async function repoLimitProblem(db: Db, owner: User, serverLimit: number): Promise<string | undefined> {
  const limit = owner.maxRepoCreation >= 0 ? owner.maxRepoCreation : serverLimit
  if (limit < 0) return undefined
  if (isTx(db)) await userQueries.lock(db, [owner.id])
  if ((await countReposOf(db, owner.id)) < limit) return undefined
  return `user has reached maximum limit of repositories [limit: ${limit}]`
}

interface LimitDeps {
  readonly rules: { readonly maxCreation: number }
}

interface CapacityDeps extends LimitDeps {
  readonly database: Database
  readonly quota: Services['quota']
}

/** Throws Forbidden at the repository limit of the owner, except for site administrators. */
export async function requireBelowLimit(db: Db, { rules }: LimitDeps, actor: SignedIn, owner: User): Promise<void> {
  const problem = isSiteAdmin(actor) ? undefined : await repoLimitProblem(db, owner, rules.maxCreation)
  if (problem !== undefined) throw forbidden(problem)
}

/**
 * Throws Forbidden at the repository limit of the owner, except for site administrators; QuotaExceeded at its quota.
 */
export async function requireCapacity(deps: CapacityDeps, actor: SignedIn, owner: User): Promise<void> {
  await requireBelowLimit(deps.database.read, deps, actor, owner)
  await deps.quota.require(owner, 'size:repos:all')
}

/** The error for a name that another repository of the owner has. */
export const repoNameConflict = (): Error => errors.repoNameTaken()

export interface CreateRepoDeps extends Pick<Core, 'database' | 'git' | 'clock' | 'events'> {
  readonly rules: RepoRules
  readonly quota: Services['quota']
  /** Signs the first commit. */
  readonly signer?: CommitSigner | undefined
}

/**
 * Creates a repository: first the git directory under a new random key, then its rows in one transaction. A crash in
 * between leaves a directory without a row, which `doctor` deletes; there is never a row without a directory. Throws
 * Invalid (name, branch, format), Conflict (name in use), Forbidden (limit).
 */
export async function createRepo(deps: CreateRepoDeps, actor: SignedIn, owner: User, input: NewRepo): Promise<Repo> {
  requireUnrestricted(actor)
  requireRepoName(input.name)
  const plan = planRepo(deps, owner, input)
  const { database, git } = deps
  await requireCapacity(deps, actor, owner)
  if (await findRepoByName(database.read, owner, input.name)) throw repoNameConflict()
  const { storage, files, ...fresh } = plan
  const { head } = await git.createRepo(
    storage,
    files.length === 0 ? fresh : { ...fresh, firstCommit: await planFirstCommit(deps, actor, files) },
  )
  try {
    const { bytes } = await git.measureRepo(plan.storage)
    const id = await database.transaction(async (tx) => {
      await requireBelowLimit(tx, deps, actor, owner)
      return insertNewRepo(tx, deps, { actor, owner, input, plan, head, bytes })
    })
    const made = await findRepoById(database.read, id)
    if (made === undefined) throw errors.repoDeleted()
    return made
  } catch (error) {
    await git.removeRepo(plan.storage)
    if (database.dialect.isUniqueViolation(error)) throw repoNameConflict()
    throw error
  }
}

interface Plan extends RepoPlan {
  /** The files of the first commit; empty for an empty repository. */
  readonly files: readonly FirstFile[]
}

function planRepo({ rules, clock }: CreateRepoDeps, owner: User, input: NewRepo): Plan {
  const defaultBranch = input.defaultBranch || rules.defaultBranch
  if (!isNewRefName(defaultBranch)) throw engineErrors.fieldNotRefName('DefaultBranch')
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

async function planFirstCommit(
  { database, clock, rules, signer }: CreateRepoDeps,
  actor: SignedIn,
  files: readonly FirstFile[],
): Promise<FirstCommit> {
  const user = await userQueries.findById(database.read, actor.account.id)
  if (user === undefined) throw errors.accountDeleted()
  const identity = { ...commitIdentity(user, rules.noReplyDomain), time: Math.floor(clock.now() / 1000), offset: 0 }
  const commit = { files, author: identity, committer: identity, message: 'Initial commit\n' }
  return signer === undefined
    ? commit
    : { ...commit, ...signedBy(signer, commit), sign: (payload) => signer.sign(payload) }
}

interface FirstFilesInput {
  readonly name: string
  readonly description: string
  /** The copyright holder in the licence. */
  readonly owner: string
  readonly year: number
  /** The name of a README template; empty is `Default`, the only one. */
  readonly readme: string
  /** Templates separated by commas; without any, no `.gitignore` is created. */
  readonly gitignores: string
  /** An SPDX id; if empty, no `LICENSE` is created. */
  readonly license: string
}

/**
 * The files of the commit that `auto_init` creates (behaviour/repositories#creating). Throws BadRequest for an unknown
 * README, Invalid for other unknown templates.
 */
function firstFiles(input: FirstFilesInput): FirstFile[] {
  const { name, description, owner, year, readme, gitignores, license } = input
  if (readme !== '' && readme !== 'Default')
    throw badRequest('readme template does not exist, available templates: [Default]')
  const ignored = renderGitignore(gitignores)
  return [
    { path: 'README.md', content: `# ${name}\n\n${description}` },
    ...(ignored === '' ? [] : [{ path: '.gitignore', content: ignored }]),
    ...(license === '' ? [] : [{ path: 'LICENSE', content: renderLicense(license, { year, owner, repo: name }) }]),
  ]
}

/** The parts of a template that a generated repository may copy. */
export const TEMPLATE_ITEMS = [
  'git_content',
  'topics',
  'git_hooks',
  'webhooks',
  'avatar',
  'labels',
  'protected_branch',
] as const
type TemplateItem = (typeof TEMPLATE_ITEMS)[number]

interface TemplateCopy {
  /** The actor that creates the new repository and may read the template. */
  readonly actor: SignedIn
  readonly template: Repo
  /** The new repository. */
  readonly repoId: RepoId
}

/** Copies the data of another module for a repository, in the transaction that inserts the new one. */
export interface TemplateCopier {
  readonly item: TemplateItem
  copy(tx: Tx, copy: TemplateCopy): Promise<void>
}
