import { isSiteAdmin, type SignedIn } from '../../access/viewer.ts'
import { branchRef, copyObjects, type GitRepo, isValidBranchName } from '../../git/index.ts'
import { forbidden, invalid, invalidField, notFound } from '../../platform/errors.ts'
import { copyLfsLinks } from '../lfs/index.ts'
import { mayCreateFor } from '../orgs/index.ts'
import {
  type CreateRepoDeps,
  findRepoById,
  findRepoByName,
  insertNewRepo,
  newStorageKey,
  type Repo,
  requireRepoName,
  requireRoom,
  requireUnrestricted,
  taken,
  type TemplateCopier,
  type TemplateItem,
} from '../repos/index.ts'
import { writeCommit } from '../signing/index.ts'
import { replaceTopics } from '../topics/index.ts'
import { commitIdentity, findUserByName, isOwnerInView, type User } from '../users/index.ts'
import { expandTemplate } from './expand-template.ts'
import { templateVariables } from './template-variables.policy.ts'

export interface GenerateRepo {
  readonly owner: string
  readonly name: string
  readonly description: string
  readonly isPrivate: boolean
  /** The template's when empty. */
  readonly defaultBranch: string
  readonly items: ReadonlySet<TemplateItem>
}

/** The service: `generateRepo` with its dependencies. */
export type GenerateRepoFor = (viewer: SignedIn, template: Repo, input: GenerateRepo) => Promise<Repo>

export interface GenerateDeps extends CreateRepoDeps {
  readonly copiers: readonly TemplateCopier[]
  rootUrl(): string
  sshPrefix(): string
}

/**
 * Creates a repository from a template (reference repositories §5): the git directory with its one commit first, then
 * one transaction; a failure or crash leaves at most a directory without a row. Throws Invalid (no
 * template, nothing chosen, names), NotFound (owner), Forbidden (owner, limit), Conflict (taken).
 */
export async function generateRepo(
  deps: GenerateDeps,
  viewer: SignedIn,
  template: Repo,
  input: GenerateRepo,
): Promise<Repo> {
  requireUnrestricted(viewer)
  requireRepoName(input.name)
  if (!template.isTemplate) throw invalid('this is not a template repo')
  if (input.items.size === 0) throw invalid('must select at least one template item')
  const { database, git } = deps
  const owner = await requireOwner(deps, viewer, input.owner)
  const defaultBranch = input.defaultBranch || template.defaultBranch
  if (!isValidBranchName(defaultBranch)) throw invalidField('DefaultBranch', 'GitRefName')
  await requireRoom(deps, viewer, owner)
  if (await findRepoByName(database.read, owner, input.name)) throw taken()
  const plan = { storage: newStorageKey(), defaultBranch, objectFormat: template.objectFormat, files: [] }
  await git.createRepo(plan.storage, plan)
  try {
    const withCode = input.items.has('git_content')
    const head = withCode
      ? await copyContent(deps, { template, input, owner, target: git.open(plan), branch: defaultBranch })
      : undefined
    const asTemplate = {
      trustModel: template.trustModel,
      licenses: withCode ? template.licenses : [],
      primaryLanguage: withCode ? template.primaryLanguage : undefined,
      templateId: template.id,
      avatar: input.items.has('avatar') ? template.avatar : undefined,
    }
    const { bytes } = await git.measureRepo(plan.storage)
    const newRepo = { name: input.name, description: input.description, isPrivate: input.isPrivate }
    const id = await database.transaction(async (tx) => {
      const made = await insertNewRepo(tx, deps, { viewer, owner, input: newRepo, plan, head, bytes, asTemplate })
      if (withCode) await copyLfsLinks(tx, template.id, made, deps.clock.now())
      if (input.items.has('topics')) await replaceTopics(tx, made, template.topics, deps.clock.now())
      for (const copier of deps.copiers) if (input.items.has(copier.item)) await copier.copy(tx, template, made, viewer)
      return made
    })
    return (await findRepoById(database.read, id))!
  } catch (error) {
    await git.removeRepo(plan.storage)
    if (database.dialect.isUniqueViolation(error)) throw taken()
    throw error
  }
}

async function requireOwner({ database }: GenerateDeps, viewer: SignedIn, name: string): Promise<User> {
  const owner = name === '' ? undefined : await findUserByName(database.read, name)
  if (owner === undefined || !(await isOwnerInView(database.read, viewer, owner)))
    throw notFound(`request owner \`${name}\` does not exist`)
  if (owner.kind !== 'organization' && owner.id !== viewer.account.id && !isSiteAdmin(viewer))
    throw forbidden('Only admin can generate repository for other user.')
  if (!(await mayCreateFor(database.read, viewer, owner)))
    throw forbidden('Given user is not allowed to create repository in organization.')
  return owner
}

interface Content {
  readonly template: Repo
  readonly input: GenerateRepo
  readonly owner: User
  readonly target: GitRepo
  readonly branch: string
}

/** The one commit of the new repository; undefined for an empty template. */
async function copyContent(
  deps: GenerateDeps,
  { template, input, owner, target, branch }: Content,
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
    const oid = await writeCommit(
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
