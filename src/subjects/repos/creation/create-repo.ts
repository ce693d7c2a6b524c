import { decideRepoAccess, isRepoAdmin } from '../../../access/repo-access.ts'
import { loadRepoTies } from '../../../access/repo-grants.store.ts'
import type { DefaultUnits } from '../../../access/units.ts'
import { isSiteAdmin, type SignedIn } from '../../../access/viewer.ts'
import type { Database, Tx } from '../../../db/database.ts'
import { flag } from '../../../db/flag.ts'
import { appendEvent } from '../../../events/index.ts'
import { type FirstCommit, type FirstFile, type Git, isValidBranchName, type ObjectFormat } from '../../../git/index.ts'
import type { Clock } from '../../../platform/clock.ts'
import { randomHex } from '../../../platform/crypto.ts'
import { conflict, forbidden, invalid, invalidField, notFound } from '../../../platform/errors.ts'
import type { RepoId } from '../../../platform/ids.ts'
import { copyDefaultWebhooks } from '../../hooks/webhook.store.ts'
import { insertLabels } from '../../labels/label.store.ts'
import type { DiskQuota } from '../../quota/disk-quota.ts'
import { type CommitSigner, signedBy } from '../../signing/signing.ts'
import { watchRepoByTeams } from '../../social/team-watch.store.ts'
import { labelsOfSet } from '../../templates/label-sets.ts'
import { licenseTemplates } from '../../templates/templates.ts'
import { commitIdentity } from '../../users/commit-identity.policy.ts'
import { findUserById, type User } from '../../users/user.store.ts'
import { insertFirstCollaborator, insertFirstWatch } from '../new-repo.store.ts'
import { upsertBranches } from '../push.store.ts'
import { findRepoById, findRepoByName, insertRepo, type Repo } from '../repo.store.ts'
import { firstFiles } from './first-files.ts'
import { limitReached, requireUnrestricted } from './owner-limits.ts'
import { requireRepoName } from './repo-name.ts'

export interface NewRepo {
  readonly name: string
  readonly description?: string | undefined
  readonly isPrivate?: boolean | undefined
  readonly isTemplate?: boolean | undefined
  readonly defaultBranch?: string | undefined
  /** sha1 or sha256; anything else is refused. */
  readonly objectFormat?: string | undefined
  /** Unknown models count as `default`. */
  readonly trustModel?: string | undefined
  /** A first commit with a README; what follows counts only with it. */
  readonly autoInit?: boolean | undefined
  readonly readme?: string | undefined
  readonly gitignores?: string | undefined
  readonly license?: string | undefined
  /** Name of a label set; counts without a first commit too. */
  readonly labelSet?: string | undefined
}

export interface RepoRules {
  readonly defaultBranch: string
  /** Most repositories of an owner that has no limit of its own; -1 is none. */
  readonly maxCreation: number
  /** Units of new repositories. */
  readonly units: DefaultUnits
  readonly forcePrivate: boolean
  readonly autoWatch: boolean
  /** Whether a push to a missing repository makes it. */
  readonly pushCreate: { readonly forUsers: boolean; readonly forOrgs: boolean; readonly isPrivate: boolean }
  /** Of the addresses that stand for hidden ones. */
  readonly noReplyDomain: string
}

export interface CreateRepoDeps {
  readonly database: Database
  readonly git: Git
  readonly clock: Clock
  readonly rules: RepoRules
  readonly quota: DiskQuota
  /** Signs the first commits that the server makes. */
  readonly signer?: CommitSigner | undefined
}

const TRUST_MODELS = new Set(['default', 'collaborator', 'committer', 'collaboratorcommitter'])
const STORAGE_BYTES = 16

/**
 * Makes a repository: first the git directory under a new random key, then one transaction. A crash in between leaves a
 * directory without a row, which `doctor` removes; never a row without a directory.
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
    const id = await database.transaction((tx) => insertRows(tx, deps, { viewer, owner, input, plan, head, bytes }))
    const made = await findRepoById(database.read, id)
    if (made === undefined) throw notFound('the repository was deleted at once')
    return made
  } catch (error) {
    await git.removeRepo(plan.storage)
    if (database.dialect.isUniqueViolation(error)) throw taken()
    throw error
  }
}

export interface Plan {
  readonly storage: string
  readonly defaultBranch: string
  readonly objectFormat: ObjectFormat
  /** Of the first commit; none makes an empty repository. */
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

export interface Insertion {
  readonly viewer: SignedIn
  readonly owner: User
  readonly input: NewRepo
  readonly plan: Plan
  /** The first commit. */
  readonly head: string | undefined
  /** On disk. */
  readonly bytes: number
  /** What it takes over from the template it was made after. */
  readonly asTemplate?: Pick<Repo, 'templateId' | 'trustModel' | 'licenses' | 'primaryLanguage' | 'avatar'>
}

/** Rows, ties and event of a new repository whose git directory is there. */
export async function insertRows(
  tx: Tx,
  { clock, rules }: CreateRepoDeps,
  { viewer, owner, input, plan, head, bytes, asTemplate }: Insertion,
): Promise<RepoId> {
  const at = clock.now()
  const id = await insertRepo(tx, {
    owner_id: owner.id,
    name: input.name,
    lower_name: input.name.toLowerCase(),
    description: input.description ?? '',
    default_branch: plan.defaultBranch,
    wiki_branch: rules.defaultBranch,
    object_format: plan.objectFormat,
    storage: plan.storage,
    is_private: flag(rules.forcePrivate || (input.isPrivate ?? false)),
    is_template: flag(input.isTemplate ?? false),
    units: input.isTemplate ? rules.units.template : rules.units.normal,
    // COMPAT: the chosen licence counts although no file holds it before the first commit.
    licenses: JSON.stringify(
      asTemplate?.licenses ?? (licenseTemplates().has(input.license ?? '') ? [input.license] : []),
    ),
    trust_model: asTemplate?.trustModel ?? (TRUST_MODELS.has(input.trustModel ?? '') ? input.trustModel! : 'default'),
    ...(asTemplate && {
      template_id: asTemplate.templateId,
      primary_language: asTemplate.primaryLanguage,
      avatar: asTemplate.avatar,
    }),
    watchers_count: rules.autoWatch ? 1 : 0,
    git_size: bytes,
    is_empty: flag(head === undefined),
    branches_count: head === undefined ? 0 : 1,
    pushed_at: head === undefined ? 0 : at,
    created_at: at,
    updated_at: at,
  })
  if (head !== undefined)
    await upsertBranches(tx, { repoId: id, pusherId: viewer.account.id, at }, [{ name: plan.defaultBranch, oid: head }])
  if (input.labelSet) await insertLabels(tx, { repoId: id }, labelsOfSet(input.labelSet), at)
  await tieCreator(tx, { id, viewer, owner, at, watch: rules.autoWatch })
  await appendEvent(
    tx,
    'repo.created',
    { actorId: viewer.account.id, repoId: id, at },
    { repo_id: id, name: input.name },
  )
  return id
}

interface CreatorTie {
  readonly id: RepoId
  readonly viewer: SignedIn
  readonly owner: User
  readonly at: number
  readonly watch: boolean
}

/**
 * The site's default webhooks are copied. The creator watches, and so do the teams that have all repositories of an
 * organization; in an organization it becomes an administrator unless a team makes it one (reference repositories §3).
 */
export async function tieCreator(tx: Tx, { id, viewer, owner, at, watch }: CreatorTie): Promise<void> {
  const tie = { repoId: id, userId: viewer.account.id, at }
  await copyDefaultWebhooks(tx, id, at)
  if (watch) await insertFirstWatch(tx, tie)
  if (watch && owner.kind === 'organization')
    await watchRepoByTeams(tx, { id, ownerId: owner.id }, 'all-repositories', at)
  if (owner.kind !== 'organization' || viewer.account.isAdmin) return
  const repo = (await findRepoById(tx, id))!
  const ties = await loadRepoTies(tx, viewer.account.id, [repo])
  if (!isRepoAdmin(decideRepoAccess(viewer, repo, ties.get(id)!))) await insertFirstCollaborator(tx, tie)
}
