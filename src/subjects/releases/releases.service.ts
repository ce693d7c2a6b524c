import type { SignedIn, Viewer } from '../../access/viewer.ts'
import type { Database } from '../../db/database.ts'
import { flag } from '../../db/flag.ts'
import { appendEvent } from '../../events/index.ts'
import { isValidTagName } from '../../git/index.ts'
import type { Clock } from '../../platform/clock.ts'
import { conflict, invalid, invalidField, notFound } from '../../platform/errors.ts'
import type { RepoId } from '../../platform/ids.ts'
import type { Page, Paging } from '../../platform/paging.ts'
import { removeAttachments } from '../attachments/attachments.service.ts'
import type { DiskQuota } from '../quota/disk-quota.ts'
import type { RepoInView } from '../repos/lookup.ts'
import type { Repo } from '../repos/repo.store.ts'
import { mayManageReleases } from './release-access.policy.ts'
import { releaseFacts } from './release-events.ts'
import type { ReleaseTags } from './release-tags.ts'
import {
  deleteRelease,
  findLatestRelease,
  findRelease,
  findReleaseByTag,
  insertRelease,
  listReleases,
  type Release,
  type ReleaseFilter,
  updateRelease,
} from './release.store.ts'
import { loadReleaseViews, type ReleaseView } from './views.ts'

export type ReleaseQuery = Omit<ReleaseFilter, 'includesDrafts'>

export interface ReleaseEdit {
  readonly tag?: string | undefined
  readonly target?: string | undefined
  readonly title?: string | undefined
  readonly body?: string | undefined
  readonly isDraft?: boolean | undefined
  readonly isPrerelease?: boolean | undefined
  readonly hideArchiveLinks?: boolean | undefined
}

export interface NewReleaseInput extends ReleaseEdit {
  readonly tag: string
  /** Makes the tag an annotated one. */
  readonly tagMessage?: string | undefined
}

/** Reference repositories §19. Drafts exist for those alone who may write releases. */
export interface Releases {
  list(viewer: Viewer, target: RepoInView, query: ReleaseQuery, paging: Paging): Promise<Page<ReleaseView>>
  /** The newest that is neither draft nor prerelease. */
  latest(target: RepoInView): Promise<ReleaseView>
  get(viewer: Viewer, target: RepoInView, id: number): Promise<ReleaseView>
  getByTag(viewer: Viewer, target: RepoInView, tag: string): Promise<ReleaseView>
  /**
   * Makes the tag too, unless it is a draft. Invalid, Conflict when the tag has a release, NotFound for an unknown
   * target.
   */
  create(viewer: SignedIn, target: RepoInView, input: NewReleaseInput): Promise<ReleaseView>
  /** Empty texts change nothing. A draft that is published gets its tag now. */
  edit(viewer: SignedIn, target: RepoInView, id: number, edit: ReleaseEdit): Promise<ReleaseView>
  /** The tag stays, the files go. Invalid for a protected tag. */
  remove(viewer: SignedIn, repo: Repo, release: Release): Promise<void>
}

export interface ReleaseDeps {
  readonly database: Database
  readonly clock: Clock
  readonly tags: ReleaseTags
  readonly quota: DiskQuota
}

const TITLE_LENGTH = 255
/** As the contract cuts it. */
export const cutTitle = (title: string): string => [...title].slice(0, TITLE_LENGTH).join('')
const TAKEN = 'Release is has no Tag'

export const createReleases = (deps: ReleaseDeps): Releases => ({ ...createReads(deps), ...createWrites(deps) })

function shown(viewer: Viewer, target: RepoInView, release: Release | undefined): Release {
  if (release === undefined || (release.isDraft && !mayManageReleases(viewer, target.access)))
    throw notFound('release does not exist')
  return release
}

const viewOf = async ({ read }: Database, release: Release): Promise<ReleaseView> =>
  (await loadReleaseViews(read, [release]))[0]!

function createReads({ database }: ReleaseDeps): Pick<Releases, 'list' | 'latest' | 'get' | 'getByTag'> {
  const { read } = database
  return {
    async list(viewer, target, query, paging) {
      const page = await listReleases(
        read,
        target.repo.id,
        { ...query, includesDrafts: mayManageReleases(viewer, target.access) },
        paging,
      )
      return { items: await loadReleaseViews(read, page.items), total: page.total }
    },
    async latest({ repo }) {
      const release = await findLatestRelease(read, repo.id)
      if (release === undefined) throw notFound('there is no release')
      return viewOf(database, release)
    },
    get: async (viewer, target, id) =>
      viewOf(database, shown(viewer, target, await findRelease(read, target.repo.id, id))),
    getByTag: async (viewer, target, tag) => {
      const release = await findReleaseByTag(read, target.repo.id, tag)
      return viewOf(database, shown(viewer, target, release?.tagName === tag ? release : undefined))
    },
  }
}

function createWrites({ database, clock, tags, quota }: ReleaseDeps): Pick<Releases, 'create' | 'edit' | 'remove'> {
  const { read } = database

  /** NOTE: the index is the judge; whoever comes second between the look and the write gets the same answer. */
  async function unlessTaken<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      throw database.dialect.isUniqueViolation(error) ? conflict(TAKEN) : error
    }
  }

  return {
    async create(viewer, target, input) {
      const { repo } = target
      if (repo.isEmpty) throw invalid('repo is empty')
      await requireFreeTag(database, repo.id, input.tag)
      await quota.require(repo.owner, 'size:repos:all')
      const isDraft = input.isDraft ?? false
      const hadTag = await tags.exists(repo, input.tag)
      if (!isDraft && !hadTag)
        await tags.create(viewer, target, { name: input.tag, target: input.target, message: input.tagMessage })
      const now = clock.now()
      const origin = { actorId: viewer.account.id, repoId: repo.id, at: now }
      const release = await unlessTaken(() =>
        database.transaction(async (tx) => {
          const made = await insertRelease(tx, {
            repo_id: repo.id,
            publisher_id: viewer.account.id,
            ...tagColumns(input.tag),
            target: input.target || (hadTag ? '' : repo.defaultBranch),
            ...textColumns(input),
            is_draft: flag(isDraft),
            is_prerelease: flag(input.isPrerelease ?? false),
            hide_archive_links: flag(input.hideArchiveLinks ?? false),
            created_at: now,
            updated_at: now,
          })
          if (!isDraft) await appendEvent(tx, 'release.published', origin, releaseFacts(made))
          return made
        }),
      )
      return viewOf(database, release)
    },
    async edit(viewer, target, id, edit) {
      const { repo } = target
      const before = shown(viewer, target, await findRelease(read, repo.id, id))
      await quota.require(repo.owner, 'size:repos:all')
      const tag = edit.tag || before.tagName
      if (tag !== before.tagName) await requireFreeTag(database, repo.id, tag, before)
      const isDraft = edit.isDraft ?? before.isDraft
      if (!isDraft && !(await tags.exists(repo, tag)))
        await tags.create(viewer, target, { name: tag, target: edit.target || before.target })
      const now = clock.now()
      const isPublishing = before.isDraft && !isDraft
      const release = await unlessTaken(() =>
        database.transaction(async (tx) => {
          const after = await updateRelease(tx, before, {
            ...tagColumns(tag),
            ...editColumns(edit),
            is_draft: flag(isDraft),
            ...(isPublishing && { created_at: now }),
            updated_at: now,
          })
          const kind = isPublishing ? 'release.published' : 'release.updated'
          if (!isDraft)
            await appendEvent(tx, kind, { actorId: viewer.account.id, repoId: repo.id, at: now }, releaseFacts(after))
          return after
        }),
      )
      return viewOf(database, release)
    },
    async remove(viewer, repo, release) {
      if (await tags.exists(repo, release.tagName)) await tags.requireDeletable(viewer, repo, release.tagName)
      const now = clock.now()
      await database.transaction(async (tx) => {
        if (!(await deleteRelease(tx, release))) throw notFound('release does not exist')
        await removeAttachments(tx, 'release_id', release.id, now)
        const origin = { actorId: viewer.account.id, repoId: release.repoId, at: now }
        if (!release.isDraft) await appendEvent(tx, 'release.deleted', origin, releaseFacts(release))
      })
    },
  }
}

const tagColumns = (tag: string): { tag_name: string; lower_tag_name: string } => ({
  tag_name: tag,
  lower_tag_name: tag.toLowerCase(),
})

/** Empty texts change nothing; a title is cut where the contract cuts it. */
const textColumns = ({ title, body }: ReleaseEdit): { title?: string; body?: string } => ({
  ...(title && { title: cutTitle(title) }),
  ...(body && { body }),
})

const editColumns = (edit: ReleaseEdit): Parameters<typeof updateRelease>[2] => ({
  ...(edit.target && { target: edit.target }),
  ...textColumns(edit),
  ...(edit.isPrerelease !== undefined && { is_prerelease: flag(edit.isPrerelease) }),
  ...(edit.hideArchiveLinks !== undefined && { hide_archive_links: flag(edit.hideArchiveLinks) }),
})

async function requireFreeTag(database: Database, repoId: RepoId, tag: string, but?: Release): Promise<void> {
  if (!isValidTagName(tag)) throw invalidField('TagName', 'GitRefName')
  const holder = await findReleaseByTag(database.read, repoId, tag)
  if (holder !== undefined && holder.id !== but?.id) throw conflict(TAKEN)
}
