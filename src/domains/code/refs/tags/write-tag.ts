import type { Core } from '../../../../core/module.ts'
import type { SignedIn } from '../../../../core/access/viewer.ts'
import {
  findCommitOid,
  type GitRepo,
  isNewRefName,
  isZeroOid,
  type NewTag,
  RefConflictError,
  tagRef,
} from '../../../../core/git/index.ts'
import { DomainError, conflict, engineErrors, notFound } from '../../../../core/platform/errors.ts'
import { errors } from '../../../errors.ts'
import { PushRefusedError, type Pushes } from '../../pushes/pushes.service.ts'
import type { RefChange } from '../../pushes/record-push.ts'
import { type CommitSigner, type RepoInView, gitWriter } from '../../../repositories/index.ts'
import { findReleaseTag } from './release-tag.store.ts'

export interface NewTagInput {
  readonly name: string
  /** Any ref; the default branch if absent. */
  readonly target?: string | undefined
  /** If present, the tag is annotated. */
  readonly message?: string | undefined
  /** Whether the tag is created for a release, which may have the name already. */
  readonly forRelease?: boolean
}

/** A tag protection forbids the actor to create or delete the tag. */
export class ProtectedTagError extends DomainError {
  constructor(what: 'create' | 'delete') {
    super('invalid', `user not allowed to ${what} protected tag`)
  }
}

export interface TagDeps extends Pick<Core, 'database' | 'git' | 'clock'> {
  readonly pushes: Pushes
  /** The tagger of annotated tags that the server creates. */
  readonly tagger: { readonly name: string; readonly email: string }
  readonly signer: CommitSigner | undefined
}

const PREFIX = 'refs/tags/'

export async function createTag(
  deps: TagDeps,
  actor: SignedIn,
  target: RepoInView,
  { name, target: start, message, forRelease }: NewTagInput,
): Promise<void> {
  const { database, git } = deps
  const { repo } = target
  const opened = git.open(repo)
  if (!isNewRefName(name)) throw engineErrors.fieldNotRefName('TagName')
  const revision = start || repo.defaultBranch
  const commit = await findCommitOid(opened, revision)
  if (commit === undefined)
    throw notFound(forRelease ? `target "${revision}" not found: no such commit` : `target not found: ${revision}`)
  const wanted = tagRef(name).toLowerCase()
  if ((await opened.refs.snapshot()).list(PREFIX).some((ref) => ref.name.toLowerCase() === wanted)) throw taken(name)
  if (!forRelease && (await findReleaseTag(database.read, repo.id, name)) !== undefined) throw taken(name)
  await opened.writing(async () => {
    const text = message?.trim()
    const newOid = text ? await annotate(deps, opened, { commit, name, text }) : commit
    await moveTag(deps.pushes, actor, target, { ref: tagRef(name), oldOid: opened.zeroOid, newOid })
  })
}

export async function deleteTag(
  { database, git, pushes }: TagDeps,
  actor: SignedIn,
  target: RepoInView,
  name: string,
): Promise<void> {
  const opened = git.open(target.repo)
  if ((await findReleaseTag(database.read, target.repo.id, name)) === name)
    throw conflict('a tag attached to a release cannot be deleted directly')
  const ref = (await opened.refs.snapshot()).get(tagRef(name))
  if (ref === undefined) throw errors.tagNotFound(name)
  await opened.writing(() => moveTag(pushes, actor, target, { ref: ref.name, oldOid: ref.oid, newOid: opened.zeroOid }))
}

async function moveTag(pushes: Pushes, actor: SignedIn, target: RepoInView, change: RefChange): Promise<void> {
  try {
    await pushes.push(actor, target, [change])
  } catch (error) {
    if (error instanceof RefConflictError && error.reason === 'name-clash')
      throw conflict(`a tag clashes with the name [name: ${change.ref.slice(PREFIX.length)}]`)
    if (error instanceof RefConflictError && error.reason === 'exists') throw taken(change.ref.slice(PREFIX.length))
    const isProtected = error instanceof PushRefusedError && error.refusal.reason === 'tag'
    throw isProtected ? new ProtectedTagError(isZeroOid(change.newOid) ? 'delete' : 'create') : error
  }
}

const taken = (name: string): Error => errors.tagExists(name)

async function annotate(
  { clock, tagger, signer }: TagDeps,
  git: GitRepo,
  { commit, name, text }: { readonly commit: string; readonly name: string; readonly text: string },
): Promise<string> {
  const writer = git.writer()
  const tag: NewTag = {
    object: commit,
    type: 'commit',
    name,
    tagger: { ...tagger, time: Math.floor(clock.now() / 1000), offset: 0 },
    message: `${text}\n`,
  }
  const oid = await gitWriter.writeTag(writer, tag, signer)
  await writer.flush()
  return oid
}
