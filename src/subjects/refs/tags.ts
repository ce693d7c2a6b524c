import type { Viewer } from '../../access/viewer.ts'
import type { Database } from '../../db/database.ts'
import {
  type Commit,
  type Git,
  type GitRepo,
  type Identity,
  isValidTagName,
  isZeroOid,
  type NewTag,
  type Ref,
  RefConflictError,
  type RefSnapshot,
  tagRef,
} from '../../git/index.ts'
import type { Clock } from '../../platform/clock.ts'
import { conflict, DomainError, invalidField, notFound } from '../../platform/errors.ts'
import { type Page, pageOf, type Paging } from '../../platform/paging.ts'
import { type ArchiveDownloads, loadArchiveDownloads, NO_DOWNLOADS } from '../archives/archive-download.store.ts'
import { loadTagRules } from '../protections/facts.ts'
import { mayChangeTag } from '../protections/tag-rules.policy.ts'
import { type Pushes, PushRefusedError } from '../pushes/accept-push.ts'
import type { RefChange } from '../pushes/record-push.ts'
import { findReleaseByTag } from '../releases/release.store.ts'
import type { RepoInView } from '../repos/lookup.ts'
import type { Repo } from '../repos/repo.store.ts'
import { type CommitSigner, writeTag } from '../signing/signing.ts'
import { findCommitOid, ignoringMissing } from '../verification/target.ts'

const PREFIX = 'refs/tags/'

export interface TagView {
  readonly name: string
  /** Of the tag object, or of the commit of a lightweight tag. */
  readonly oid: string
  readonly commit: string
  readonly message: string
  /** The tagger, or the committer for a lightweight tag. */
  readonly madeBy: Identity
  /** Of its archives. */
  readonly downloads: ArchiveDownloads
}

export interface NewTagInput {
  readonly name: string
  /** Any ref; the default branch when absent. */
  readonly target?: string | undefined
  /** Makes an annotated tag. */
  readonly message?: string | undefined
  /** Made for a release, which may own the name. */
  readonly forRelease?: boolean
}

/** A rule keeps the tag from the viewer. */
export class ProtectedTagError extends DomainError {
  constructor(what: 'create' | 'delete') {
    super('invalid', `user not allowed to ${what} protected tag`)
  }
}

export interface Tags {
  /** The newest first (reference git-data §3). */
  list(repo: Repo, paging: Paging): Promise<Page<TagView>>
  get(repo: Repo, name: string): Promise<TagView>
  create(viewer: Viewer, target: RepoInView, input: NewTagInput): Promise<TagView>
  remove(viewer: Viewer, target: RepoInView, name: string): Promise<void>
  /** Throws ProtectedTagError when a rule keeps the viewer from deleting a tag of that name. */
  requireDeletable(viewer: Viewer, repo: Repo, name: string): Promise<void>
}

export interface TagDeps {
  readonly database: Database
  readonly git: Git
  readonly clock: Clock
  readonly pushes: Pushes
  /** Who stands in annotated tags that the server makes. */
  readonly tagger: { readonly name: string; readonly email: string }
  readonly signer: CommitSigner | undefined
}

export function createTags({ database, git, clock, pushes, tagger, signer }: TagDeps): Tags {
  async function withDownloads(repo: Repo, views: readonly Omit<TagView, 'downloads'>[]): Promise<TagView[]> {
    const downloads = await loadArchiveDownloads(
      database.read,
      repo.id,
      views.map((view) => view.name),
    )
    return views.map((view) => ({ ...view, downloads: downloads.get(view.name) ?? NO_DOWNLOADS }))
  }

  // NOTE: a snapshot stays the same object until a ref moves, so the order is found once per change.
  const orders = new WeakMap<RefSnapshot, Promise<readonly Ref[]>>()

  async function newestFirst(opened: GitRepo): Promise<readonly Ref[]> {
    const snapshot = await opened.refs.snapshot()
    const known = orders.get(snapshot) ?? sortTags(opened, snapshot)
    orders.set(snapshot, known)
    known.catch(() => orders.delete(snapshot))
    return known
  }

  async function get(repo: Repo, name: string): Promise<TagView> {
    const opened = git.open(repo)
    const ref = (await opened.refs.snapshot()).get(tagRef(name))
    const view = ref && (await viewOf(opened, ref))
    if (view === undefined) throw notFound(`tag doesn't exist: ${name}`)
    return (await withDownloads(repo, [view]))[0]!
  }

  async function move(viewer: Viewer, target: RepoInView, change: RefChange): Promise<void> {
    try {
      await pushes.move(viewer, target, [change])
    } catch (error) {
      if (error instanceof RefConflictError && error.reason === 'name-clash')
        throw conflict(`a tag clashes with the name [name: ${change.ref.slice(PREFIX.length)}]`)
      if (error instanceof RefConflictError && error.reason === 'exists') throw taken(change.ref.slice(PREFIX.length))
      const isProtected = error instanceof PushRefusedError && error.refusal.reason === 'tag'
      throw isProtected ? new ProtectedTagError(isZeroOid(change.newOid) ? 'delete' : 'create') : error
    }
  }

  return {
    get,
    async list(repo, paging) {
      const opened = git.open(repo)
      const page = pageOf(await newestFirst(opened), paging)
      const views = await Promise.all(page.items.map((ref) => viewOf(opened, ref)))
      return {
        items: await withDownloads(
          repo,
          views.filter((view) => view !== undefined),
        ),
        total: page.total,
      }
    },
    async create(viewer, target, { name, target: start, message, forRelease }) {
      const { repo } = target
      const opened = git.open(repo)
      if (!isValidTagName(name)) throw invalidField('TagName', 'GitRefName')
      const commit = await findCommitOid(opened, start || repo.defaultBranch)
      if (commit === undefined) throw notFound(`target not found: ${start ?? repo.defaultBranch}`)
      const wanted = tagRef(name).toLowerCase()
      if ((await opened.refs.snapshot()).list(PREFIX).some((ref) => ref.name.toLowerCase() === wanted))
        throw taken(name)
      if (!forRelease && (await findReleaseByTag(database.read, repo.id, name)) !== undefined) throw taken(name)
      await opened.writing(async () => {
        const oid = message?.trim()
          ? await annotate(
              opened,
              {
                object: commit,
                type: 'commit',
                name,
                tagger: { ...tagger, time: Math.floor(clock.now() / 1000), offset: 0 },
                message: `${message.trim()}\n`,
              },
              signer,
            )
          : commit
        await move(viewer, target, { ref: tagRef(name), oldOid: opened.zeroOid, newOid: oid })
      })
      return get(repo, name)
    },
    async remove(viewer, target, name) {
      const opened = git.open(target.repo)
      const ref = (await opened.refs.snapshot()).get(tagRef(name))
      if (ref === undefined) throw notFound(`tag doesn't exist: ${name}`)
      const release = await findReleaseByTag(database.read, target.repo.id, name)
      if (release?.tagName === name) throw conflict('a tag attached to a release cannot be deleted directly')
      await opened.writing(() => move(viewer, target, { ref: ref.name, oldOid: ref.oid, newOid: opened.zeroOid }))
    },
    async requireDeletable(viewer, repo, name) {
      if (!mayChangeTag(name, await loadTagRules(database.read, repo, viewer))) throw new ProtectedTagError('delete')
    },
  }
}

const taken = (name: string): Error => conflict(`tag already exists [name: ${name}]`)

async function sortTags(git: GitRepo, snapshot: RefSnapshot): Promise<readonly Ref[]> {
  if (snapshot.list(PREFIX).length === 0) return []
  const sorted = await git.tagTimes()
  return sorted.map(({ ref }) => snapshot.get(ref)).filter((ref) => ref !== undefined)
}

async function annotate(git: GitRepo, tag: NewTag, signer: CommitSigner | undefined): Promise<string> {
  const writer = git.writer()
  const oid = await writeTag(writer, tag, signer)
  await writer.flush()
  return oid
}

/** Undefined for a tag that leads to no commit: nothing that a Tag shows can be said of it. */
async function viewOf(git: GitRepo, { name, oid }: Ref): Promise<Omit<TagView, 'downloads'> | undefined> {
  const commitOid = await ignoringMissing(() => git.revisions.peel(oid, 'commit'))
  if (commitOid === undefined) return undefined
  const commit: Commit = await git.objects.commit(commitOid)
  const tag = oid === commitOid ? undefined : await git.objects.tag(oid)
  const message = (tag ?? commit).message.trim()
  return { name: name.slice(PREFIX.length), oid, commit: commitOid, message, madeBy: tag?.tagger ?? commit.committer }
}
