import { actorOf } from '../../../core/access/viewer.ts'
import type { Tx } from '../../../core/db/database.ts'
import type { EventOrigin, Events, Subscriptions } from '../../../core/events/index.ts'
import { asId, type RepoId } from '../../../core/platform/crypto/ids.ts'
import { findReleaseByTag, updateRelease } from './release.store.ts'
import { releasePayload } from './releases.events.ts'

const TAG = 'refs/tags/'

export function releaseSubscriptions(events: Events): Subscriptions {
  return {
    async 'repo.pushed'(tx, { repoId, actorId, at, payload }) {
      const deleted = payload.updates
        .filter(({ ref, new_oid: oid }) => ref.startsWith(TAG) && /^0+$/.test(oid))
        .map(({ ref }) => ref.slice(TAG.length))
      for (const tag of deleted)
        await draftReleaseOfTag(tx, events, { repoId: asId(repoId), tag, actor: actorOf(asId(actorId)), at })
    },
  }
}

/** Turns the release of a deleted tag into a draft (behaviour/git-data-and-transport#after-a-push). */
async function draftReleaseOfTag(
  tx: Tx,
  events: Events,
  { repoId, tag, actor, at }: EventOrigin & { readonly repoId: RepoId; readonly tag: string },
): Promise<void> {
  const release = await findReleaseByTag(tx, repoId, tag)
  if (release === undefined || release.tagName !== tag || release.isDraft) return
  await updateRelease(tx, release, { is_draft: 1, updated_at: at })
  await events.append(tx, 'release.deleted', { actor, repoId, at }, releasePayload(release))
}
