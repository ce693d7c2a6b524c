import type { Core, Services } from '../../../core/module.ts'
import type { SignedIn, Viewer } from '../../../core/access/viewer.ts'
import type { Database, Tx } from '../../../core/db/database.ts'
import { flag } from '../../../core/db/flag.ts'
import { isNewRefName } from '../../../core/git/index.ts'
import { engineErrors, invalid, notFound } from '../../../core/platform/errors.ts'
import { errors } from '../../errors.ts'
import type { RepoId } from '../../../core/platform/crypto/ids.ts'
import type { Page, Paging } from '../../../core/platform/paging.ts'
import type { Repo, RepoInView } from '../../repositories/index.ts'
import { mayManageReleases } from './release-access.policy.ts'
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
import { releasePayload } from './releases.events.ts'
import { loadReleaseViews, type ReleaseView } from './views.ts'

type ReleaseQuery = Omit<ReleaseFilter, 'includesDrafts'>

export interface ReleaseEdit {
  readonly tag?: string | undefined
  readonly target?: string | undefined
  readonly title?: string | undefined
  readonly body?: string | undefined
  readonly isDraft?: boolean | undefined
  readonly isPrerelease?: boolean | undefined
  readonly hideArchiveLinks?: boolean | undefined
}

interface NewReleaseInput extends ReleaseEdit {
  readonly tag: string
  /** Message of an annotated tag; absent for a lightweight one. */
  readonly tagMessage?: string | undefined
}

/** Releases (behaviour/repositories#releases). Drafts are visible only to users who may write releases. */
export interface Releases {
  list(viewer: Viewer, target: RepoInView, query: ReleaseQuery, paging: Paging): Promise<Page<ReleaseView>>
  /** The newest release that is neither draft nor prerelease. Throws NotFound. */
  getLatest(target: RepoInView): Promise<ReleaseView>
  /** Throws NotFound, also for drafts that are hidden from the viewer; so does `getByTag`. */
  get(viewer: Viewer, target: RepoInView, id: number): Promise<ReleaseView>
  getByTag(viewer: Viewer, target: RepoInView, tag: string): Promise<ReleaseView>
  /**
   * Creates the tag too, unless the release is a draft. Throws Invalid, Conflict if the tag has a release, NotFound for
   * an unknown target.
   */
  create(actor: SignedIn, target: RepoInView, input: NewReleaseInput): Promise<ReleaseView>
  /** Empty texts are ignored. Publishing a draft creates its tag. Throws the errors of `create`. */
  edit(actor: SignedIn, target: RepoInView, id: number, edit: ReleaseEdit): Promise<ReleaseView>
  /** Deletes the release with its files, but not the tag. Throws Invalid for a protected tag. */
  delete(actor: SignedIn, repo: Repo, release: Release): Promise<void>
}

interface ReleaseDeps extends Pick<Core, 'database' | 'clock' | 'events'> {
  readonly attachments: Pick<Services['attachments'], 'deleteOf'>
  readonly tags: ReleaseTags
  readonly quota: Services['quota']
}

const MAX_TITLE_LENGTH = 255
/** Cuts a title to the maximum length of the API. */
export const cutTitle = (title: string): string => [...title].slice(0, MAX_TITLE_LENGTH).join('')

export const createReleases = (deps: ReleaseDeps): Releases => ({ ...createReads(deps), ...createWrites(deps) })

function requireVisible(viewer: Viewer, target: RepoInView, release: Release | undefined): Release {
  if (release === undefined || (release.isDraft && !mayManageReleases(viewer, target.access)))
    throw errors.releaseNotFound()
  return release
}

const viewOf = async ({ read }: Database, release: Release): Promise<ReleaseView> =>
  (await loadReleaseViews(read, [release]))[0]!

function createReads({ database }: ReleaseDeps): Pick<Releases, 'list' | 'getLatest' | 'get' | 'getByTag'> {
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
    async getLatest({ repo }) {
      const release = await findLatestRelease(read, repo.id)
      if (release === undefined) throw notFound('there is no release')
      return viewOf(database, release)
    },
    get: async (viewer, target, id) =>
      viewOf(database, requireVisible(viewer, target, await findRelease(read, target.repo.id, id))),
    getByTag: async (viewer, target, tag) => {
      const release = await findReleaseByTag(read, target.repo.id, tag)
      return viewOf(database, requireVisible(viewer, target, release?.tagName === tag ? release : undefined))
    },
  }
}

const createWrites = (deps: ReleaseDeps): Pick<Releases, 'create' | 'edit' | 'delete'> => ({
  create: (actor, target, input) => createRelease(deps, actor, target, input),
  edit: (actor, target, id, edit) => editRelease(deps, { actor, target, id }, edit),
  async delete(actor, repo, release) {
    const { database, clock, events, attachments, tags } = deps
    if (await tags.exists(repo, release.tagName)) await tags.requireDeletable(actor, repo, release.tagName)
    await database.transaction(async (tx) => {
      if (!(await deleteRelease(tx, release))) throw errors.releaseNotFound()
      await attachments.deleteOf(tx, 'release', release.id)
      const origin = { actor, repoId: release.repoId, at: clock.now() }
      if (!release.isDraft) await events.append(tx, 'release.deleted', origin, releasePayload(release))
    })
  },
})

async function createRelease(
  { database, clock, events, tags, quota }: ReleaseDeps,
  actor: SignedIn,
  target: RepoInView,
  input: NewReleaseInput,
): Promise<ReleaseView> {
  const { repo } = target
  if (repo.isEmpty) throw invalid('repo is empty')
  await requireFreeTag(database, repo.id, input.tag)
  await quota.require(repo.owner, 'size:repos:all')
  const isDraft = input.isDraft ?? false
  const hadTag = await tags.exists(repo, input.tag)
  if (!isDraft && !hadTag)
    await tags.create(actor, target, { name: input.tag, target: input.target, message: input.tagMessage })
  const now = clock.now()
  const origin = { actor, repoId: repo.id, at: now }
  const release = await unlessTaken(database, async (tx) => {
    const made = await insertRelease(tx, {
      repo_id: repo.id,
      publisher_id: actor.account.id,
      ...tagColumns(input.tag),
      target: input.target || (hadTag ? '' : repo.defaultBranch),
      ...textColumns(input),
      is_draft: flag(isDraft),
      is_prerelease: flag(input.isPrerelease ?? false),
      hide_archive_links: flag(input.hideArchiveLinks ?? false),
      created_at: now,
      updated_at: now,
    })
    if (!isDraft) await events.append(tx, 'release.published', origin, releasePayload(made))
    return made
  })
  return viewOf(database, release)
}

async function editRelease(
  { database, clock, events, tags, quota }: ReleaseDeps,
  { actor, target, id }: { readonly actor: SignedIn; readonly target: RepoInView; readonly id: number },
  edit: ReleaseEdit,
): Promise<ReleaseView> {
  const { repo } = target
  const before = requireVisible(actor, target, await findRelease(database.read, repo.id, id))
  await quota.require(repo.owner, 'size:repos:all')
  const tag = edit.tag || before.tagName
  if (tag !== before.tagName) await requireFreeTag(database, repo.id, tag, before)
  const isDraft = edit.isDraft ?? before.isDraft
  if (!isDraft && !(await tags.exists(repo, tag)))
    await tags.create(actor, target, { name: tag, target: edit.target || before.target })
  const now = clock.now()
  const isPublishing = before.isDraft && !isDraft
  const release = await unlessTaken(database, async (tx) => {
    const after = await updateRelease(tx, before, {
      ...tagColumns(tag),
      ...editColumns(edit),
      is_draft: flag(isDraft),
      ...(isPublishing && { created_at: now }),
      updated_at: now,
    })
    const kind = isPublishing ? 'release.published' : 'release.updated'
    const origin = { actor, repoId: repo.id, at: now }
    if (!isDraft) await events.append(tx, kind, origin, releasePayload(after))
    return after
  })
  return viewOf(database, release)
}

/**
 * NOTE: a concurrent request may insert a release after the check of the tag: the unique index then causes the same
 * error.
 */
async function unlessTaken<T>(database: Database, work: (tx: Tx) => Promise<T>): Promise<T> {
  try {
    return await database.transaction(work)
  } catch (error) {
    throw database.dialect.isUniqueViolation(error) ? errors.releaseExists() : error
  }
}

const tagColumns = (tag: string): { tag_name: string; lower_tag_name: string } => ({
  tag_name: tag,
  lower_tag_name: tag.toLowerCase(),
})

/** Empty texts are ignored. */
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

async function requireFreeTag(database: Database, repoId: RepoId, tag: string, except?: Release): Promise<void> {
  if (!isNewRefName(tag)) throw engineErrors.fieldNotRefName('TagName')
  const existing = await findReleaseByTag(database.read, repoId, tag)
  if (existing !== undefined && existing.id !== except?.id) throw errors.releaseExists()
}
