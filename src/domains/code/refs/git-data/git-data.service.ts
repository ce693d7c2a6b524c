import type { Core } from '../../../../core/module.ts'
import type { SignedIn } from '../../../../core/access/viewer.ts'
import {
  findLooseOid,
  type GitRepo,
  hasBranches,
  ignoringMissing,
  isGitError,
  type Ref,
  retryMoved,
  type Tag,
} from '../../../../core/git/index.ts'
import { type DomainError, badRequest, notFound } from '../../../../core/platform/errors.ts'
import { errors } from '../../../errors.ts'
import { type ArchiveDownloads, NO_DOWNLOADS, loadArchiveDownloads } from '../../archives/archive-download.store.ts'
import type { CommitParts, CommitView, CommitViews } from '../../history/history.service.ts'
import { requireOid } from '../../history/commits.service.ts'
import { type LfsPointer, parseLfsPointer } from '../../lfs/objects/pointer.ts'
import { commitIdentity, userQueries } from '../../../accounts/index.ts'
import type { Repo, RepoInView } from '../../../repositories/index.ts'
import type { Pushes } from '../../pushes/pushes.service.ts'
import type { Verification } from '../../verification/verification.ts'
import type { Verifier } from '../../verification/verifier.service.ts'
import { createTreeLists, type TreeItem } from './tree-list.ts'

export interface RefView {
  readonly name: string
  readonly oid: string
  readonly type: string
}

export interface TreeView {
  /** The id of the named object: the id of a commit if a commit was named. */
  readonly oid: string
  readonly items: readonly TreeItem[]
  readonly total: number
  readonly page: number
  readonly hasMore: boolean
}

export interface BlobView {
  readonly oid: string
  readonly size: number
  /** Undefined for a blob above the size limit. */
  readonly content: Buffer | undefined
  readonly lfs: LfsPointer | undefined
}

export interface AnnotatedTagView {
  readonly tag: Tag
  readonly verification: Verification
  /** The download counts of its archives. */
  readonly downloads: ArchiveDownloads
}

interface NoteView {
  readonly message: string
  readonly commit: CommitView
}

interface TreeQuery {
  readonly recursive: boolean
  readonly page: number
  readonly perPage: number
}

interface GitDataDeps extends Pick<Core, 'database' | 'git' | 'clock'> {
  readonly pushes: Pick<Pushes, 'push'>
  readonly noReplyDomain: string
  readonly views: CommitViews
  readonly verifier: Verifier
  /** The maximum size in bytes of a blob whose content is returned. */
  readonly maxBlobSize: number
}

/** The maximum number of blobs in one answer. */
const MAX_BLOBS = 100
const MAX_ATTEMPTS = 5

export type GitData = ReturnType<typeof createGitData>

/** Objects as git stores them (behaviour/git-data-and-transport#refs-trees-blobs-notes-and-comparison). */
export function createGitData({
  database,
  git,
  clock,
  views,
  verifier,
  pushes,
  noReplyDomain,
  maxBlobSize,
}: GitDataDeps) {
  const lists = createTreeLists()

  async function readBlob(opened: GitRepo, oid: string, maxBytes: number): Promise<BlobView> {
    const info = await getInfo(opened, oid, 'blob')
    if (info.size > maxBytes) return { oid, size: info.size, content: undefined, lfs: undefined }
    const content = await opened.objects.blob(oid, maxBytes)
    return { oid, size: info.size, content, lfs: parseLfsPointer(content) }
  }

  return {
    /** Refs whose name after `refs/` starts with the prefix, sorted. Throws NotFound if there are none. */
    async refs(repo: Repo, prefix: string): Promise<RefView[]> {
      const opened = git.open(repo)
      const refs = (await opened.refs.snapshot()).list(`refs/${prefix}`)
      if (refs.length === 0) throw notFound('no such refs')
      return Promise.all(refs.map((ref) => refView(opened, ref)))
    },
    /** Resolves a revision to an object id as git does. */
    resolve: (repo: Repo, revision: string): Promise<string | undefined> => findLooseOid(git.open(repo), revision),
    /**
     * Finds a tree by any tree-ish. Throws BadRequest for anything else, NotFound in an empty repository; so do `blob`
     * and `tag`.
     */
    async tree(repo: Repo, revision: string, { recursive, page, perPage }: TreeQuery): Promise<TreeView> {
      const opened = git.open(repo)
      const found = await ignoringMissing(() => opened.revisions.findLoose(revision))
      const tree = found && (await ignoringMissing(() => opened.revisions.peel(found.oid, 'tree')))
      if (found === undefined || tree === undefined) throw await unknownObject(opened, `sha not found [${revision}]`)
      const start = (page - 1) * perPage
      const { items, total } = await lists.list(opened, tree, { recursive, start, end: start + perPage })
      return { oid: found.oid, items, total, page, hasMore: start + perPage < total }
    },
    /** Finds a blob by full id. Throws BadRequest for anything else. */
    blob: (repo: Repo, oid: string): Promise<BlobView> => readBlob(git.open(repo), oid, maxBlobSize),
    /**
     * Finds blobs by full ids, in the order of the ids. Their contents together have the size limit of one blob; those
     * beyond it have none. Throws BadRequest for anything else, and for too many ids.
     */
    async blobs(repo: Repo, oids: readonly string[]): Promise<BlobView[]> {
      if (oids.length === 0) throw badRequest('shas: Required')
      if (oids.length > MAX_BLOBS) throw badRequest(`shas: at most ${MAX_BLOBS} ids`)
      const opened = git.open(repo)
      const found: BlobView[] = []
      let left = maxBlobSize
      for (const oid of oids) {
        const blob = await readBlob(opened, oid, left)
        left -= blob.content?.length ?? 0
        found.push(blob)
      }
      return found
    },
    /** Finds a tag by the full id of the tag object. Throws BadRequest for anything else. */
    async tag(repo: Repo, oid: string): Promise<AnnotatedTagView> {
      const opened = git.open(repo)
      await getInfo(opened, oid, 'tag')
      const tag = await opened.objects.tag(oid)
      const downloads = (await loadArchiveDownloads(database.read, repo.id, [tag.name])).get(tag.name) ?? NO_DOWNLOADS
      return { tag, downloads, verification: await verifier.ofTag(opened, tag) }
    },
    /** The note of a commit. Throws NotFound if it has none, Invalid for ranges and suffixes. */
    async note(repo: Repo, revision: string, parts: CommitParts): Promise<NoteView> {
      const opened = git.open(repo)
      const annotated = await findAnnotated(opened, revision)
      const note = annotated && (await opened.notes.find(annotated))
      if (!note) throw errors.noteNotFound(revision)
      const last = (await opened.lastCommits.ofPath(note.commit, note.path)) ?? note.commit
      const [commit] = await views.load(opened, [await opened.objects.commit(last)], parts)
      return { message: note.message, commit: commit! }
    },
    /**
     * Sets or, without a message, removes the note of a commit by a commit of the actor. Throws NotFound for an unknown
     * commit or a missing note, Invalid for ranges and suffixes, QuotaExceeded.
     */
    async setNote(actor: SignedIn, target: RepoInView, revision: string, message: string | undefined): Promise<void> {
      const opened = git.open(target.repo)
      const annotated = await findAnnotated(opened, revision)
      const user = await userQueries.findById(database.read, actor.account.id)
      if (annotated === undefined || user === undefined) throw errors.commitNotFound(revision)
      const who = { ...commitIdentity(user, noReplyDomain), time: Math.floor(clock.now() / 1000), offset: 0 }
      await opened.writing(() =>
        retryMoved(MAX_ATTEMPTS, async () => {
          const update = await opened.notes.build(annotated, message, who).catch((error: unknown) => {
            throw isGitError(error, 'missing') ? errors.noteNotFound(revision) : error
          })
          await pushes.push(actor, target, [update], { quota: 'size:git:all' })
        }),
      )
    },
  }
}

/** The object that a note is attached to: the commit of a revision, if it has one. Throws Invalid for ranges. */
async function findAnnotated(git: GitRepo, revision: string): Promise<string | undefined> {
  if (/\.\.|[~^]/.test(revision)) throw errors.revisionInvalid(revision)
  const target = await ignoringMissing(() => git.revisions.findLoose(revision))
  return target && ((await ignoringMissing(() => git.revisions.peel(target.oid, 'commit'))) ?? target.oid)
}

async function getInfo(git: GitRepo, oid: string, type: 'blob' | 'tag'): Promise<{ readonly size: number }> {
  const info = await git.objects.findInfo(oid)
  if (info?.type === type) return info
  const error = await unknownObject(git, `object does not exist [id: ${oid}, rel_path: ]`)
  if (error.kind === 'bad-request') requireOid(git, oid)
  throw error
}

/** An empty repository lacks every object (behaviour/git-data-and-transport#common-rules). */
const unknownObject = async (git: GitRepo, message: string): Promise<DomainError> =>
  (await hasBranches(git)) ? badRequest(message) : notFound(message)

async function refView(git: GitRepo, ref: Ref): Promise<RefView> {
  const { type } = await git.objects.info(ref.oid)
  return { name: ref.name, oid: ref.oid, type }
}
