import { isSiteAdmin, type SignedIn } from '../../../core/access/viewer.ts'
import { branchRef, copyObjects, type GitRepo, isNewRefName } from '../../../core/git/index.ts'
import { engineErrors, forbidden, invalid, notFound } from '../../../core/platform/errors.ts'
import type { RepoId } from '../../../core/platform/crypto/ids.ts'
import { lfsQueries } from '../../code/index.ts'
import { type User, commitIdentity, userQueries, ownerQueries } from '../../accounts/index.ts'
import {
  type CreateRepoDeps,
  type Repo,
  type TemplateCopier,
  repoQueries,
  accessQueries,
  repoCreation,
  topicQueries,
  gitWriter,
} from '../../repositories/index.ts'
import { expandTemplate } from './expand-template.ts'
import { templateVariables } from './template-variables.policy.ts'

interface GenerateRepo {
  readonly owner: string
  readonly name: string
  readonly description: string
  readonly isPrivate: boolean
  /** Empty: the default branch of the template. */
  readonly defaultBranch: string
  readonly items: ReadonlySet<TemplateCopier['item']>
}

export interface GenerateDeps extends CreateRepoDeps {
  readonly copiers: readonly TemplateCopier[]
  rootUrl(): string
  sshPrefix(): string
}

/** The parts of a template that the request selects. */
interface Chosen {
  readonly template: Repo
  readonly input: GenerateRepo
  readonly owner: User
}

export type RepoGenerator = ReturnType<typeof createRepoGenerator>

/** Repositories generated from templates (behaviour/repositories#generating-from-a-template). */
export function createRepoGenerator(deps: GenerateDeps) {
  const { database, git } = deps
  return {
    /**
     * Throws Invalid (not a template, nothing selected, names), NotFound (owner), Forbidden (owner, limit), Conflict
     * (name in use).
     */
    async generate(actor: SignedIn, template: Repo, input: GenerateRepo): Promise<Repo> {
      repoCreation.requireUnrestricted(actor)
      repoCreation.requireName(input.name)
      if (!template.isTemplate) throw invalid('this is not a template repo')
      if (input.items.size === 0) throw invalid('must select at least one template item')
      const owner = await requireOwner(deps, actor, input.owner)
      const defaultBranch = input.defaultBranch || template.defaultBranch
      if (!isNewRefName(defaultBranch)) throw engineErrors.fieldNotRefName('DefaultBranch')
      await repoCreation.requireCapacity(deps, actor, owner)
      if (await repoQueries.findByName(database.read, owner, input.name)) throw repoCreation.nameConflict()
      const plan = { storage: repoCreation.newStorageKey(), defaultBranch, objectFormat: template.objectFormat }
      await git.createRepo(plan.storage, plan)
      // NOTE: the git directory is created first; a failure or crash leaves at most a directory without a row.
      try {
        const id = await fillRepo(deps, actor, plan, { template, input, owner })
        return accessQueries.getCreatedRepo(database.read, id)
      } catch (error) {
        await git.removeRepo(plan.storage)
        if (database.dialect.isUniqueViolation(error)) throw repoCreation.nameConflict()
        throw error
      }
    },
  }
}

/** Writes the initial commit of a new git directory, then its rows and copies in one transaction. */
async function fillRepo(
  deps: GenerateDeps,
  actor: SignedIn,
  plan: Parameters<typeof repoCreation.insertNew>[2]['plan'],
  chosen: Chosen,
): Promise<RepoId> {
  const { database, git, clock, copiers } = deps
  const { template, input, owner } = chosen
  const withCode = input.items.has('git_content')
  const head = withCode ? await copyContent(deps, chosen, git.open(plan), plan.defaultBranch) : undefined
  const { bytes } = await git.measureRepo(plan.storage)
  const asTemplate = {
    trustModel: template.trustModel,
    licenses: withCode ? template.licenses : [],
    primaryLanguage: withCode ? template.primaryLanguage : undefined,
    templateId: template.id,
    avatar: input.items.has('avatar') ? template.avatar : undefined,
  }
  const newRepo = { name: input.name, description: input.description, isPrivate: input.isPrivate }
  return database.transaction(async (tx) => {
    await repoCreation.requireBelowLimit(tx, deps, actor, owner)
    const repoId = await repoCreation.insertNew(tx, deps, {
      actor,
      owner,
      input: newRepo,
      plan,
      head,
      bytes,
      asTemplate,
    })
    if (withCode) await lfsQueries.copyLinks(tx, template.id, repoId, clock.now())
    if (input.items.has('topics')) await topicQueries.replace(tx, repoId, template.topics, clock.now())
    for (const copier of copiers) if (input.items.has(copier.item)) await copier.copy(tx, { actor, template, repoId })
    return repoId
  })
}

async function requireOwner({ database }: GenerateDeps, actor: SignedIn, name: string): Promise<User> {
  const owner = name === '' ? undefined : await userQueries.findByName(database.read, name)
  if (owner === undefined || !(await ownerQueries.isInView(database.read, actor, owner)))
    throw notFound(`request owner \`${name}\` does not exist`)
  if (owner.kind !== 'organization' && owner.id !== actor.account.id && !isSiteAdmin(actor))
    throw forbidden('Only admin can generate repository for other user.')
  if (!(await ownerQueries.mayCreateFor(database.read, actor, owner)))
    throw forbidden('Given user is not allowed to create repository in organization.')
  return owner
}

/** Writes one commit with the expanded files of the template; returns its id, undefined for an empty template. */
async function copyContent(
  deps: GenerateDeps,
  { template, input, owner }: Chosen,
  target: GitRepo,
  branch: string,
): Promise<string | undefined> {
  const source = deps.git.open(template)
  const tip = (await source.refs.snapshot()).get(branchRef(template.defaultBranch))
  if (tip === undefined) return undefined
  const { tree } = await source.objects.commit(tip.oid)
  return target.writing(async () => {
    await copyObjects(source, target, { wants: [tree] })
    const writer = target.writer()
    const now = deps.clock.now()
    const identity = { ...commitIdentity(owner, deps.rules.noReplyDomain), time: Math.floor(now / 1000), offset: 0 }
    const variables = templateVariables({
      now: new Date(now),
      repo: partyOf(deps, owner, input),
      template: partyOf(deps, template.owner, template),
    })
    const expanded = await expandTemplate(target, writer, tree, variables)
    const oid = await gitWriter.writeCommit(
      writer,
      { tree: expanded, parents: [], author: identity, committer: identity, message: 'Initial commit\n' },
      deps.signer,
    )
    await writer.flush()
    await target.refs.update([{ ref: branchRef(branch), old: target.zeroOid, new: oid }])
    return oid
  })
}

function partyOf(
  { rootUrl, sshPrefix }: GenerateDeps,
  owner: User,
  { name, description }: { readonly name: string; readonly description: string },
) {
  const path = `${owner.name}/${name}`
  return {
    name,
    description,
    owner: owner.name,
    link: `/${path}`,
    httpsUrl: `${rootUrl()}/${path}.git`,
    sshUrl: `${sshPrefix()}${path}.git`,
  }
}
