import { canSeeRepo } from '../../access/repo-access.ts'
import type { Actor, Viewer } from '../../access/viewer.ts'
import type { Database, Tx } from '../../db/database.ts'
import type { Events } from '../../events/index.ts'
import type { Clock } from '../../platform/clock.ts'
import { badRequest, notFound } from '../../platform/errors.ts'
import type { Page, Paging } from '../../platform/paging.ts'
import { listReposByIds, type Repos } from '../repos/index.ts'
import { listUsersByIds, type User } from '../users/index.ts'
import type { PackageView } from './package-view.ts'
import {
  deletePackage,
  deleteVersion,
  findVersion,
  listFiles,
  listVersions,
  type PackageFile,
  type PackageFilter,
  type PackageVersion,
  updatePackageRepo,
} from './package.store.ts'

interface PackageRef {
  readonly type: string
  readonly name: string
}

interface VersionRef extends PackageRef {
  /** Without it the newest one. */
  readonly version?: string
}

/** Packages of users and organizations; registries, which publish them, come later. */
export interface Packages {
  /** One item for each version, the newest first. */
  list(viewer: Viewer, owner: User, query: PackageQuery): Promise<Page<PackageView>>
  /** The versions of a package, the newest first. Throws NotFound. */
  versions(viewer: Viewer, owner: User, query: PackageRef & { readonly paging: Paging }): Promise<Page<PackageView>>
  /** Throws NotFound. */
  get(viewer: Viewer, owner: User, ref: VersionRef): Promise<PackageView>
  /** Files of a version. Throws NotFound. */
  files(owner: User, ref: VersionRef): Promise<PackageFile[]>
  /** Throws NotFound. */
  deleteVersion(actor: Actor, owner: User, ref: Required<VersionRef>): Promise<void>
  /** With all versions. Throws NotFound. */
  delete(actor: Actor, owner: User, ref: PackageRef): Promise<void>
  /** Links to a repository of the same owner. Throws NotFound, and BadRequest when it is linked to that one. */
  link(viewer: Viewer, owner: User, link: PackageRef & { readonly repoName: string }): Promise<void>
  /** Throws NotFound, and BadRequest without a link. */
  unlink(owner: User, ref: PackageRef): Promise<void>
}

interface PackageQuery {
  readonly filter: PackageFilter
  readonly paging: Paging
}

interface PackageDeps {
  readonly database: Database
  readonly clock: Clock
  readonly events: Events
  readonly repos: Repos
}

export function createPackages({ database, clock, events, repos }: PackageDeps): Packages {
  const { read } = database
  const appendDeleted = (tx: Tx, actor: Actor, owner: User, { type, name, version = '' }: VersionRef): Promise<void> =>
    events.append(
      tx,
      'package.deleted',
      { actor, repoId: 0, at: clock.now() },
      { owner_id: owner.id, type, name, version },
    )
  const list = async (viewer: Viewer, owner: User, query: PackageQuery): Promise<Page<PackageView>> => {
    const page = await listVersions(read, owner.id, query)
    return { items: await viewsOf({ database, repos }, viewer, { owner, versions: page.items }), total: page.total }
  }
  return {
    list,

    async versions(viewer, owner, { type, name, paging }) {
      const page = await list(viewer, owner, { filter: { type, name }, paging })
      if (page.total === 0) throw notFound('package does not exist')
      return page
    },

    async get(viewer, owner, ref) {
      const version = requireVersion(await findVersion(read, { ownerId: owner.id, ...ref }, ref.version))
      return (await viewsOf({ database, repos }, viewer, { owner, versions: [version] }))[0]!
    },

    async files(owner, ref) {
      const { id } = requireVersion(await findVersion(read, { ownerId: owner.id, ...ref }, ref.version))
      return listFiles(read, id)
    },

    deleteVersion: (actor, owner, ref) =>
      database.transaction(async (tx) => {
        await deleteVersion(tx, requireVersion(await findVersion(tx, { ownerId: owner.id, ...ref }, ref.version)))
        await appendDeleted(tx, actor, owner, ref)
      }),

    delete: (actor, owner, ref) =>
      database.transaction(async (tx) => {
        await deletePackage(tx, requireVersion(await findVersion(tx, { ownerId: owner.id, ...ref })).packageId)
        await appendDeleted(tx, actor, owner, ref)
      }),

    async link(viewer, owner, { repoName, ...ref }) {
      const { repo } = await repos.getInView(viewer, owner.name, repoName)
      await database.transaction(async (tx) => {
        const { packageId, repoId } = requireVersion(await findVersion(tx, { ownerId: owner.id, ...ref }))
        if (repoId === repo.id) throw badRequest('the package is linked to this repository already')
        await updatePackageRepo(tx, packageId, repo.id)
      })
    },

    unlink: (owner, ref) =>
      database.transaction(async (tx) => {
        const { packageId, repoId } = requireVersion(await findVersion(tx, { ownerId: owner.id, ...ref }))
        if (repoId === undefined) throw badRequest('the package is linked to no repository')
        await updatePackageRepo(tx, packageId, undefined)
      }),
  }
}

function requireVersion(version: PackageVersion | undefined): PackageVersion {
  if (version === undefined) throw notFound('package does not exist')
  return version
}

/** In the order given, with a fixed number of queries. */
async function viewsOf(
  { database: { read }, repos }: Pick<PackageDeps, 'database' | 'repos'>,
  viewer: Viewer,
  { owner, versions }: { readonly owner: User; readonly versions: readonly PackageVersion[] },
): Promise<PackageView[]> {
  const creators = await listUsersByIds(
    read,
    versions.map(({ creatorId }) => creatorId),
  )
  const linked = await listReposByIds(
    read,
    versions.flatMap(({ repoId }) => repoId ?? []),
  )
  const visible = (await repos.views(viewer, linked)).filter(({ access }) => canSeeRepo(access))
  const creatorOf = new Map(creators.map((user) => [user.id, user]))
  const repoOf = new Map(visible.map((view) => [view.repo.id, view]))
  return versions.map((version) => ({
    version,
    owner,
    creator: creatorOf.get(version.creatorId),
    repo: version.repoId && repoOf.get(version.repoId),
  }))
}
