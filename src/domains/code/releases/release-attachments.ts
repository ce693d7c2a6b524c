import { AccessMode, isRepoAdmin, unitMode } from '../../../core/access/repo-access.ts'
import { notFound } from '../../../core/platform/errors.ts'
import { errors } from '../../errors.ts'
import type { AttachmentOwnerAccess } from '../../repositories/index.ts'
import { findRelease } from './release.store.ts'
import type { Releases } from './releases.service.ts'

/** Releases as owners of attachments: a file is visible to viewers of its release. */
export const releaseAttachments = (releases: Pick<Releases, 'get'>): AttachmentOwnerAccess => ({
  async requireVisible(viewer, target, releaseId) {
    const { access } = target
    if (unitMode(access, 'repo.releases') < AccessMode.read && !isRepoAdmin(access))
      throw notFound('releases are not readable')
    await releases.get(viewer, target, releaseId)
  },
  async requireExisting(tx, repoId, releaseId) {
    if ((await findRelease(tx, repoId, releaseId)) === undefined) throw errors.releaseNotFound()
  },
})
