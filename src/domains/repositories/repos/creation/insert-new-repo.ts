import type { Core } from '../../../../core/module.ts'
import type { SignedIn } from '../../../../core/access/viewer.ts'
import type { Tx } from '../../../../core/db/database.ts'
import { flag } from '../../../../core/db/flag.ts'
import type { ObjectFormat } from '../../../../core/git/index.ts'
import type { RepoId } from '../../../../core/platform/crypto/ids.ts'
import { licenseTemplates } from '../../templates/templates.ts'
import type { User } from '../../../accounts/index.ts'
import { upsertBranches } from '../records/push.store.ts'
import type { RepoRules } from '../repo-rules.ts'
import { insertRepo, type Repo, findRepoById } from '../repo.store.ts'
import { AccessMode, decideRepoAccess, isRepoAdmin } from '../../../../core/access/repo-access.ts'
import { loadRepoGrants } from '../../../../core/access/repo-grants.store.ts'
import type { Events } from '../../../../core/events/index.ts'

export interface NewRepoFacts {
  readonly id: RepoId
  readonly name: string
  readonly actor: SignedIn
  readonly owner: User
  readonly at: number
  /** Whether the creator watches it; `watchers_count` of its row includes that. */
  readonly watch: boolean
  readonly labelSet?: string | undefined
}

/**
 * Appends `repo.created` for a repository whose row this transaction inserted. Its projections copy the site's default
 * webhooks and insert labels, watches and the creator's collaboration (behaviour/repositories#access).
 */
export async function recordRepoCreation(
  tx: Tx,
  events: Events,
  { id, name, actor, owner, at, watch, labelSet }: NewRepoFacts,
): Promise<void> {
  const creatorMode = await decideCreatorMode(tx, { id, actor, owner })
  await events.append(
    tx,
    'repo.created',
    { actor, repoId: id, at },
    {
      repo_id: id,
      name,
      ...(owner.kind === 'organization' && { org_id: owner.id }),
      ...(watch && { auto_watch: true }),
      ...(creatorMode !== undefined && { creator_mode: creatorMode }),
      ...(labelSet && { label_set: labelSet }),
    },
  )
}

/** In an organization the creator becomes an administrator of the repository unless a team already grants that. */
export async function decideCreatorMode(
  tx: Tx,
  { id, actor, owner }: Pick<NewRepoFacts, 'id' | 'actor' | 'owner'>,
): Promise<AccessMode | undefined> {
  if (owner.kind !== 'organization' || actor.account.isAdmin) return undefined
  const repo = (await findRepoById(tx, id))!
  const grants = await loadRepoGrants(tx, actor.account.id, [repo])
  return isRepoAdmin(decideRepoAccess(actor, repo, grants.get(id)!)) ? undefined : AccessMode.admin
}

export interface NewRepo {
  readonly name: string
  readonly description?: string | undefined
  readonly isPrivate?: boolean | undefined
  readonly isTemplate?: boolean | undefined
  readonly defaultBranch?: string | undefined
  /** sha1 or sha256; other values are rejected. */
  readonly objectFormat?: string | undefined
  /** Unknown models are treated as `default`. */
  readonly trustModel?: string | undefined
  /** Creates a first commit with the files that the next three members select. */
  readonly autoInit?: boolean | undefined
  readonly readme?: string | undefined
  readonly gitignores?: string | undefined
  readonly license?: string | undefined
  /** The name of a label set. */
  readonly labelSet?: string | undefined
}

export interface RepoPlan {
  readonly storage: string
  readonly defaultBranch: string
  readonly objectFormat: ObjectFormat
}

interface InsertDeps extends Pick<Core, 'clock' | 'events'> {
  readonly rules: RepoRules
}

const TRUST_MODELS = new Set(['default', 'collaborator', 'committer', 'collaboratorcommitter'])
export const isTrustModel = (name: string): boolean => TRUST_MODELS.has(name)

interface NewRepoRows {
  readonly actor: SignedIn
  readonly owner: User
  readonly input: NewRepo
  readonly plan: RepoPlan
  /** The id of the first commit; undefined for an empty repository. */
  readonly head: string | undefined
  /** The size on disk. */
  readonly bytes: number
  /** Columns copied from the template of the repository. */
  readonly asTemplate?: TemplateFacts
}

type TemplateFacts = Pick<Repo, 'templateId' | 'trustModel' | 'licenses' | 'primaryLanguage' | 'avatar'>

/** Inserts the rows of a new repository, whose git directory exists, and appends its event. */
export async function insertNewRepo(
  tx: Tx,
  { clock, events, rules }: InsertDeps,
  { actor, owner, input, plan, head, bytes, asTemplate }: NewRepoRows,
): Promise<RepoId> {
  const at = clock.now()
  const id = await insertRepo(tx, {
    owner_id: owner.id,
    ...inputColumns(input, rules),
    wiki_branch: rules.defaultBranch,
    default_branch: plan.defaultBranch,
    object_format: plan.objectFormat,
    storage: plan.storage,
    ...(asTemplate && templateColumns(asTemplate)),
    watchers_count: rules.autoWatch ? 1 : 0,
    git_size: bytes,
    is_empty: flag(head === undefined),
    branches_count: head === undefined ? 0 : 1,
    pushed_at: head === undefined ? 0 : at,
    created_at: at,
    updated_at: at,
  })
  if (head !== undefined)
    await upsertBranches(tx, { repoId: id, pusherId: actor.account.id, at }, [{ name: plan.defaultBranch, oid: head }])
  const { name, labelSet } = input
  await recordRepoCreation(tx, events, { id, name, actor, owner, at, watch: rules.autoWatch, labelSet })
  return id
}

function inputColumns(input: NewRepo, rules: RepoRules) {
  const { name, description = '', isPrivate = false, isTemplate = false, license = '', trustModel = '' } = input
  return {
    name,
    lower_name: name.toLowerCase(),
    description,
    is_private: flag(rules.forcePrivate || isPrivate),
    is_template: flag(isTemplate),
    units: isTemplate ? rules.units.template : rules.units.normal,
    // COMPAT: the chosen licence is listed although no file contains it before the first commit
    // (test/repositories/templates.test.ts).
    licenses: JSON.stringify(licenseTemplates().has(license) ? [license] : []),
    trust_model: isTrustModel(trustModel) ? trustModel : 'default',
  }
}

function templateColumns({ templateId, trustModel, licenses, primaryLanguage, avatar }: TemplateFacts) {
  return {
    template_id: templateId ?? 0,
    trust_model: trustModel,
    licenses: JSON.stringify(licenses),
    primary_language: primaryLanguage ?? '',
    avatar: avatar ?? '',
  }
}
