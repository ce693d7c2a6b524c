import type { Core } from '../../../../core/module.ts'
import { repoUrls } from '../../../../core/access/repo-urls.ts'
import { ANONYMOUS } from '../../../../core/access/viewer.ts'
import { loadReleaseViews, presentRelease, releaseOf } from '../../../code/index.ts'
import { presentGhost, presentUser } from '../../../accounts/index.ts'
import type { EventFactsLoader } from './event-facts.ts'
import type { BuildMessages, MessageBuilders } from './payload.ts'
import { messageOf } from './payload.present.ts'

interface ReleaseBuilderDeps extends Pick<Core, 'database' | 'site'> {
  readonly facts: EventFactsLoader
}

/** Published releases; drafts have no events. Texts are those of the event, files those of now. */
export function releaseBuilders({ database, facts, site }: ReleaseBuilderDeps): MessageBuilders {
  const build =
    (
      action: 'published' | 'updated' | 'deleted',
    ): BuildMessages<'release.published' | 'release.updated' | 'release.deleted'> =>
    async (event) => {
      const found = await facts.load(event, 'sender')
      if (found === undefined) return []
      const { repo, repository, sender } = found
      const [view] = await loadReleaseViews(database.read, [releaseOf(event.payload, event.at)])
      const author = view!.author ? presentUser(view!.author, ANONYMOUS, site) : presentGhost(site)
      const release = { ...presentRelease(view!, repoUrls(repo, site), site), author }
      return [messageOf('release', { action, release, repository, sender })]
    }
  return {
    'release.published': build('published'),
    'release.updated': build('updated'),
    'release.deleted': build('deleted'),
  }
}
