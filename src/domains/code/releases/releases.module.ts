import { defineModule } from '../../../core/module.ts'
import { releaseAssetOperations } from './assets.operations.ts'
import { createReleaseTags } from './release-tags.ts'
import { releaseEvents } from './releases.events.ts'
import { releaseOperations } from './releases.operations.ts'
import { listUsedAttachments, findRelease } from './release.store.ts'
import { registerReleases } from './releases.routes.ts'
import { createReleases, type Releases } from './releases.service.ts'
import { releaseSubscriptions } from './releases.subscriber.ts'
import { AccessMode, isRepoAdmin, unitMode } from '../../../core/access/repo-access.ts'
import { notFound } from '../../../core/platform/errors.ts'
import { errors } from '../../errors.ts'
import type { AttachmentOwnerAccess } from '../../repositories/index.ts'

declare module '../../../core/module.ts' {
  interface Services {
    readonly releases: Releases
  }
}

/** Releases with their files. */
export const module = defineModule({
  name: 'releases',
  needs: ['attachments', 'quota', 'quotaParts', 'tags', 'uploadRules', 'webAccess'],
  create({ database, git, clock, events, site }, services, guards) {
    const { attachments, quota, quotaParts, tags, uploadRules, webAccess } = services
    const releases = createReleases({
      database,
      clock,
      events,
      attachments,
      tags: createReleaseTags({ git, tags }),
      quota,
    })
    quotaParts.attachments.register(listUsedAttachments)
    attachments.owners.release.register(releaseAttachments(releases))
    return {
      services: { releases },
      operations: [
        ...releaseAssetOperations({ guards, releases, attachments, rules: uploadRules.releases, site }),
        ...releaseOperations({ guards, releases, site }),
      ],
      routes(http) {
        registerReleases(http, { attachments, webAccess, releases })
      },
      events: releaseEvents,
      subscriptions: releaseSubscriptions(events),
    }
  },
})

/** Releases as owners of attachments: a file is visible to viewers of its release. */
const releaseAttachments = (releases: Pick<Releases, 'get'>): AttachmentOwnerAccess => ({
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
