import type { Viewer } from '../../../core/access/viewer.ts'
import { wireTime } from '../../../core/platform/clock.ts'
import type { Site } from '../../../core/platform/site.ts'
import { presentRepo } from '../../repositories/index.ts'
import { userPresenters } from '../../accounts/index.ts'
import type { PackageView } from './package-view.ts'
import type { Package, PackageFile as PackageFileModel } from './package.model.ts'
import type { PackageFile } from './package.store.ts'

export function presentPackage(view: PackageView, viewer: Viewer, site: Site): Package {
  const { version, owner, creator, repo } = view
  const path = [version.type, version.name, version.version]
    .map((part) => encodeURIComponent(part.toLowerCase()))
    .join('/')
  return {
    id: version.id,
    owner: userPresenters.present(owner, viewer, site),
    repository: repo ? presentRepo(repo, site) : null,
    creator: creator ? userPresenters.present(creator, viewer, site) : userPresenters.presentGhost(site),
    type: version.type,
    name: version.name,
    version: version.version,
    html_url: `${site.rootUrl()}/${owner.name}/-/packages/${path}`,
    created_at: wireTime(version.createdAt),
  }
}

export function presentPackageFile({ id, size, name, md5, sha1, sha256, sha512 }: PackageFile): PackageFileModel {
  return { id, size, Size: size, name, md5, sha1, sha256, sha512 }
}
