import type { Subscriptions } from '../../events/index.ts'
import { enqueue } from '../../jobs/index.ts'
import type { Clock } from '../../platform/clock.ts'
import { asId } from '../../platform/ids.ts'
import { draftReleasesOfTags } from './lost-tags.ts'

const TAG = 'refs/tags/'

/** What tags and repositories that go leave behind: drafts, and files of nobody. */
export function releaseSubscriptions(clock: Clock): Subscriptions {
  return {
    'repo.pushed': [
      async (tx, { repoId, actorId, at, payload }) => {
        const gone = payload.updates
          .filter(({ ref, new_oid: oid }) => ref.startsWith(TAG) && /^0+$/.test(oid))
          .map(({ ref }) => ref.slice(TAG.length))
        await draftReleasesOfTags(tx, asId(repoId), gone, { actorId, repoId, at })
      },
    ],
    'repo.deleted': [(tx) => enqueue(tx, 'attachments.sweep', {}, { now: clock.now(), key: 'all' })],
  }
}
