import type { SignedIn, Viewer } from '../../../../core/access/viewer.ts'
import {
  type Commit,
  type GitRepo,
  type Identity,
  ignoringMissing,
  type Ref,
  type RefSnapshot,
  tagRef,
} from '../../../../core/git/index.ts'
import { errors } from '../../../errors.ts'
import { type Page, pageOf, type Paging } from '../../../../core/platform/paging.ts'
import { type ArchiveDownloads, NO_DOWNLOADS, loadArchiveDownloads } from '../../archives/archive-download.store.ts'
import { loadTagRules } from '../../protections/facts.ts'
import { mayChangeTag } from '../../protections/protections.policy.ts'
import type { Repo, RepoInView } from '../../../repositories/index.ts'
import { createTag, deleteTag, type NewTagInput, ProtectedTagError, type TagDeps } from './write-tag.ts'

const PREFIX = 'refs/tags/'

export interface TagView {
  readonly name: string
  /** Id of the tag object, or of the commit of a lightweight tag. */
  readonly oid: string
  readonly commit: string
  readonly message: string
  /** The tagger, or the committer for a lightweight tag. */
  readonly madeBy: Identity
  /** The download counts of its archives. */
  readonly downloads: ArchiveDownloads
}

export type Tags = ReturnType<typeof createTags>

export function createTags(deps: TagDeps) {
  const { database, git } = deps

  async function withDownloads(repo: Repo, views: readonly Omit<TagView, 'downloads'>[]): Promise<TagView[]> {
    const downloads = await loadArchiveDownloads(
      database.read,
      repo.id,
      views.map((view) => view.name),
    )
    return views.map((view) => ({ ...view, downloads: downloads.get(view.name) ?? NO_DOWNLOADS }))
  }

  // NOTE: a snapshot is the same object until a ref changes, so tags are sorted once per change.
  const orders = new WeakMap<RefSnapshot, Promise<readonly Ref[]>>()

  async function newestFirst(opened: GitRepo): Promise<readonly Ref[]> {
    const snapshot = await opened.refs.snapshot()
    const order = orders.get(snapshot) ?? sortTags(opened, snapshot)
    orders.set(snapshot, order)
    order.catch(() => orders.delete(snapshot))
    return order
  }

  /** Throws NotFound. */
  async function get(repo: Repo, name: string): Promise<TagView> {
    const opened = git.open(repo)
    const ref = (await opened.refs.snapshot()).get(tagRef(name))
    const view = ref && (await viewOf(opened, ref))
    if (view === undefined) throw errors.tagNotFound(name)
    return (await withDownloads(repo, [view]))[0]!
  }

  return {
    get,
    /** The newest first (behaviour/git-data-and-transport#tags). */
    async list(repo: Repo, paging: Paging): Promise<Page<TagView>> {
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
    /** Throws Conflict if a tag or release has the name, NotFound for an unknown target, ProtectedTagError. */
    async create(actor: SignedIn, target: RepoInView, input: NewTagInput): Promise<TagView> {
      await createTag(deps, actor, target, input)
      return get(target.repo, input.name)
    },
    /** Throws NotFound, Conflict for the tag of a release, ProtectedTagError. */
    delete: (actor: SignedIn, target: RepoInView, name: string): Promise<void> => deleteTag(deps, actor, target, name),
    /** Throws ProtectedTagError if a rule forbids the viewer to delete a tag of that name. */
    async requireDeletable(viewer: Viewer, repo: Repo, name: string): Promise<void> {
      if (!(await mayChangeTag(name, await loadTagRules(database.read, repo, viewer))))
        throw new ProtectedTagError('delete')
    },
  }
}

async function sortTags(git: GitRepo, snapshot: RefSnapshot): Promise<readonly Ref[]> {
  if (snapshot.list(PREFIX).length === 0) return []
  const sorted = await git.tagTimes()
  return sorted.map(({ ref }) => snapshot.get(ref)).filter((ref) => ref !== undefined)
}

/** Undefined for a tag of a tree or blob: the members of a Tag describe a commit. */
async function viewOf(git: GitRepo, { name, oid }: Ref): Promise<Omit<TagView, 'downloads'> | undefined> {
  const commitOid = await ignoringMissing(() => git.revisions.peel(oid, 'commit'))
  if (commitOid === undefined) return undefined
  const commit: Commit = await git.objects.commit(commitOid)
  const tag = oid === commitOid ? undefined : await git.objects.tag(oid)
  const message = (tag ?? commit).message.trim()
  return { name: name.slice(PREFIX.length), oid, commit: commitOid, message, madeBy: tag?.tagger ?? commit.committer }
}
