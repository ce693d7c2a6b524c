import type { Tx } from '../../db/database.ts'
import { appendEvent, type EventOrigin } from '../../events/index.ts'
import type { RepoId } from '../../platform/ids.ts'
import { releaseFacts } from './release-events.ts'
import { findReleaseByTag, updateRelease } from './release.store.ts'

/** A release whose tag was deleted becomes a draft (reference git-data §15). */
export async function draftReleasesOfTags(
  tx: Tx,
  repoId: RepoId,
  tags: readonly string[],
  origin: EventOrigin,
): Promise<void> {
  for (const tag of tags) {
    const release = await findReleaseByTag(tx, repoId, tag)
    if (release === undefined || release.tagName !== tag || release.isDraft) continue
    await updateRelease(tx, release, { is_draft: 1, updated_at: origin.at })
    await appendEvent(tx, 'release.deleted', origin, releaseFacts(release))
  }
}
