import type { Core, Services } from '../../../core/module.ts'
import { reachesRepo } from '../../../core/access/authorize.ts'
import { canSeeRepo, type RepoAccess } from '../../../core/access/repo-access.ts'
import type { Actor, Viewer } from '../../../core/access/viewer.ts'
import { badRequest } from '../../../core/platform/errors.ts'
import { errors } from '../../errors.ts'
import type { Page, Paging } from '../../../core/platform/paging.ts'
import { type Repo, repoQueries } from '../../repositories/index.ts'
import { type User, userQueries } from '../../accounts/index.ts'
import { deleteWholePackage } from './delete-package.ts'
import { appendPackageEvent } from './package-event.ts'
import type { PackageView } from './package-view.ts'
import { lockPackage } from './package-contents.store.ts'
import {
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
  /** The newest version if absent. */
  readonly version?: string
}

interface PackageQuery {
  readonly filter: Omit<PackageFilter, 'ownerId'>
  readonly paging: Paging
}

interface PackageDeps extends Pick<Core, 'database' | 'clock' | 'events'> {
  readonly repos: Services['repos']
}

export type Packages = ReturnType<typeof createPackages>

/** Packages of users and organizations. */
export function createPackages(deps: PackageDeps) {
  const { database, repos } = deps
  const { read } = database
  const list = async (viewer: Viewer, owner: User, { filter, paging }: PackageQuery): Promise<Page<PackageView>> => {
    const page = await listVersions(read, { filter: { ...filter, ownerId: owner.id }, paging })
    return { ...page, items: await viewsOf(deps, viewer, { owners: [owner], versions: page.items }) }
  }
  return {
    /** One item per version, newest first. */
    list,

    /** Packages of all owners, one item per version, newest first. */
    async listAll(viewer: Viewer, query: PackageQuery): Promise<Page<PackageView>> {
      const page = await listVersions(read, query)
      const owners = await userQueries.listByIds(
        read,
        page.items.map(({ ownerId }) => ownerId),
      )
      return { ...page, items: await viewsOf(deps, viewer, { owners, versions: page.items }) }
    },

    /** The versions of a package, newest first. Throws NotFound. */
    async versions(
      viewer: Viewer,
      owner: User,
      { type, name, paging }: PackageRef & { readonly paging: Paging },
    ): Promise<Page<PackageView>> {
      const page = await list(viewer, owner, { filter: { type, name }, paging })
      if (page.total === 0) throw errors.packageNotFound()
      return page
    },

    /** Throws NotFound. */
    async get(viewer: Viewer, owner: User, ref: VersionRef): Promise<PackageView> {
      const version = requireVersion(await findVersion(read, { ownerId: owner.id, ...ref }, ref.version))
      return (await viewsOf(deps, viewer, { owners: [owner], versions: [version] }))[0]!
    },

    /** Files of a version. Throws NotFound. */
    async files(owner: User, ref: VersionRef): Promise<PackageFile[]> {
      const { id } = requireVersion(await findVersion(read, { ownerId: owner.id, ...ref }, ref.version))
      return listFiles(read, id)
    },

    /** Throws NotFound. */
    deleteVersion: (actor: Actor, owner: User, ref: Required<VersionRef>): Promise<void> =>
      database.transaction(async (tx) => {
        await lockPackage(tx, { ownerId: owner.id, ...ref })
        const found = requireVersion(await findVersion(tx, { ownerId: owner.id, ...ref }, ref.version))
        await deleteVersion(tx, found)
        await appendPackageEvent(deps, tx, 'package.deleted', { actor, owner, versions: [found] })
      }),

    /** Deletes the package with all versions. Throws NotFound. */
    delete: (actor: Actor, owner: User, ref: PackageRef): Promise<void> =>
      database.transaction((tx) => deleteWholePackage(deps, tx, { actor, owner, ...ref })),

    /** Links to a repository of the same owner. Throws NotFound, and BadRequest when it is linked already. */
    async link(
      viewer: Viewer,
      owner: User,
      { repoName, ...ref }: PackageRef & { readonly repoName: string },
    ): Promise<void> {
      const { repo, access } = await repos.getInView(viewer, owner.name, repoName)
      if (!isShown(viewer, repo, access)) throw errors.repoNotFound()
      await database.transaction(async (tx) => {
        const { packageId, repoId } = requireVersion(await findVersion(tx, { ownerId: owner.id, ...ref }))
        if (repoId !== undefined) throw badRequest('the package is linked to a repository already')
        await updatePackageRepo(tx, packageId, repo.id)
      })
    },

    /** Throws NotFound, and BadRequest without a link. */
    unlink: (owner: User, ref: PackageRef): Promise<void> =>
      database.transaction(async (tx) => {
        const { packageId, repoId } = requireVersion(await findVersion(tx, { ownerId: owner.id, ...ref }))
        if (repoId === undefined) throw badRequest('the package is linked to no repository')
        await updatePackageRepo(tx, packageId, undefined)
      }),
  }
}

function requireVersion(version: PackageVersion | undefined): PackageVersion {
  if (version === undefined) throw errors.packageNotFound()
  return version
}

/** A public-only token may see the packages of an owner, but none of its private repositories. */
const isShown = (viewer: Viewer, repo: Repo, access: RepoAccess): boolean =>
  canSeeRepo(access) && (viewer.kind !== 'user' || reachesRepo(viewer, repo))

/** Views in the given order, by a fixed number of queries. */
async function viewsOf(
  { database: { read }, repos }: Pick<PackageDeps, 'database' | 'repos'>,
  viewer: Viewer,
  { owners, versions }: { readonly owners: readonly User[]; readonly versions: readonly PackageVersion[] },
): Promise<PackageView[]> {
  const ownerOf = new Map(owners.map((owner) => [owner.id, owner]))
  const creators = await userQueries.listByIds(
    read,
    versions.map(({ creatorId }) => creatorId),
  )
  const linked = await repoQueries.listByIds(
    read,
    versions.flatMap(({ repoId }) => repoId ?? []),
  )
  const visible = (await repos.views(viewer, linked)).filter(({ repo, access }) => isShown(viewer, repo, access))
  const creatorOf = new Map(creators.map((user) => [user.id, user]))
  const repoOf = new Map(visible.map((view) => [view.repo.id, view]))
  return versions.flatMap((version) => {
    const owner = ownerOf.get(version.ownerId)
    if (owner === undefined) return []
    return {
      version,
      owner,
      creator: creatorOf.get(version.creatorId),
      repo: version.repoId && repoOf.get(version.repoId),
    }
  })
}
