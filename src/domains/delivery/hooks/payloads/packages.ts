import type { Core } from '../../../../core/module.ts'
import { ANONYMOUS } from '../../../../core/access/viewer.ts'
import { asId } from '../../../../core/platform/crypto/ids.ts'
import { findUserById, listUsersByIds, presentOrganization } from '../../../accounts/index.ts'
import { presentPackage } from '../../../packages/index.ts'
import type { EventFactsLoader } from './event-facts.ts'
import type { BuildMessages, MessageBuilders } from './payload.ts'
import { messageOf } from '../hook.present.ts'

interface PackageBuilderDeps extends Pick<Core, 'database' | 'site'> {
  readonly facts: EventFactsLoader
}

/** Versions of packages, one message for each; what they were is said by the event itself. */
export function packageBuilders({ database: { read }, facts, site }: PackageBuilderDeps): MessageBuilders {
  const build =
    (action: 'created' | 'deleted'): BuildMessages<'package.created' | 'package.deleted'> =>
    async ({ id: eventId, actorId, payload: { owner_id, repo_id = 0, type, name, versions = [] } }) => {
      const owner = await findUserById(read, asId(owner_id))
      if (owner === undefined) return []
      const linked = repo_id === 0 ? undefined : await facts.load({ id: eventId, repoId: repo_id, actorId }, 'sender')
      const repository = linked?.repository ?? null
      const sender = await facts.loadSender(actorId, owner)
      const creators = await listUsersByIds(
        read,
        versions.map(({ creator_id }) => asId(creator_id)),
      )
      return versions.map(({ id, package_id, version, creator_id, created_at }) => {
        const creatorId = asId<(typeof creators)[number]['id']>(creator_id)
        const shown = presentPackage(
          {
            version: {
              id,
              packageId: package_id,
              type,
              name,
              version,
              repoId: undefined,
              creatorId,
              createdAt: created_at,
            },
            owner,
            creator: creators.find((user) => user.id === creatorId),
            repo: undefined,
          },
          ANONYMOUS,
          site,
        )
        return messageOf('package', {
          action,
          repository,
          package: { ...shown, repository },
          organization: owner.kind === 'organization' ? presentOrganization(owner, ANONYMOUS, site) : null,
          sender,
        })
      })
    }
  return { 'package.created': build('created'), 'package.deleted': build('deleted') }
}
