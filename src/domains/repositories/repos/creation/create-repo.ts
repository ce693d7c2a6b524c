import type { Core } from '../../../../core/module.ts'
import type { SignedIn } from '../../../../core/access/viewer.ts'
import { type FirstCommit, type FirstFile, isNewRefName } from '../../../../core/git/index.ts'
import { invalid, invalidField, notFound, badRequest } from '../../../../core/platform/errors.ts'
import { type DiskQuota, type User, commitIdentity, findUserById } from '../../../accounts/index.ts'
import { type CommitSigner, signedBy } from '../../signing/signing.ts'
import { labelsOfSet } from '../../templates/label-sets.ts'
import type { RepoRules } from '../repo-rules.ts'
import { findRepoById, findRepoByName, type Repo } from '../repo.store.ts'
import {
  newStorageKey,
  repoNameConflict,
  requireBelowLimit,
  requireCapacity,
  requireRepoName,
  requireUnrestricted,
} from './creation-rules.ts'
import { insertNewRepo, type NewRepo, type RepoPlan } from './insert-new-repo.ts'
import { renderGitignore, renderLicense } from '../../templates/templates.ts'

export interface CreateRepoDeps extends Pick<Core, 'database' | 'git' | 'clock' | 'events'> {
  readonly rules: RepoRules
  readonly quota: DiskQuota
  /** Signs the first commit. */
  readonly signer?: CommitSigner | undefined
}

/**
 * Creates a repository: first the git directory under a new random key, then its rows in one transaction. A crash in
 * between leaves a directory without a row, which `doctor` deletes; never a row without a directory.
 * Throws invalid (name, branch, format), conflict (name in use), forbidden (limit).
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
    if (made === undefined) throw notFound('the repository was deleted at once')
    return made
  } catch (error) {
    await git.removeRepo(plan.storage)
    if (database.dialect.isUniqueViolation(error)) throw repoNameConflict()
    throw error
  }
}

interface Plan extends RepoPlan {
  /** Of the first commit; empty for an empty repository. */
  readonly files: readonly FirstFile[]
}

function planRepo({ rules, clock }: CreateRepoDeps, owner: User, input: NewRepo): Plan {
  const defaultBranch = input.defaultBranch || rules.defaultBranch
  if (!isNewRefName(defaultBranch)) throw invalidField('DefaultBranch', 'GitRefName')
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
  const user = await findUserById(database.read, actor.account.id)
  if (user === undefined) throw notFound('the account was deleted')
  const identity = { ...commitIdentity(user, rules.noReplyDomain), time: Math.floor(clock.now() / 1000), offset: 0 }
  const commit = { files, author: identity, committer: identity, message: 'Initial commit\n' }
  return signer === undefined
    ? commit
    : { ...commit, ...signedBy(signer, commit), sign: (payload) => signer.sign(payload) }
}

interface FirstFilesInput {
  readonly name: string
  readonly description: string
  /** Whom the licence names. */
  readonly owner: string
  readonly year: number
  /** Name of a README template; empty is `Default`, the only one. */
  readonly readme: string
  /** Comma list of templates; empty makes no `.gitignore`. */
  readonly gitignores: string
  /** SPDX id; empty makes no `LICENSE`. */
  readonly license: string
}

/**
 * The files of the commit that `auto_init` makes (behaviour/repositories#creating). Throws bad-request for an unknown
 * README, invalid for other unknown templates.
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
