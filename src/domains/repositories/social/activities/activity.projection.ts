import type { Tx } from '../../../../core/db/database.ts'
import type { DomainEvent, EventKind, EventPayload, Projections } from '../../../../core/events/index.ts'
import { asId } from '../../../../core/platform/crypto/ids.ts'
import { findUserById } from '../../../accounts/index.ts'
import { insertActivities } from './activity.store.ts'

/** An entry of a feed, in the contract's words (behaviour/users-and-admin#activity-and-other-lists). */
interface NewActivity {
  readonly opType: string
  /** When it differs from that of the event. */
  readonly repoId?: number
  readonly refName?: string
  readonly content?: string
}

/** The content of a push, in the form that clients parse, until `activity.describe` has read its commits. */
const NO_COMMITS = JSON.stringify({ Commits: [], HeadCommit: null, CompareURL: '', Len: 0 })

const isZero = (oid: string): boolean => /^0+$/.test(oid)

type RefUpdate = EventPayload<'repo.pushed'>['updates'][number]

function ofMirrorSync({ ref, old_oid, new_oid }: RefUpdate): NewActivity {
  if (isZero(new_oid)) return { opType: 'mirror_sync_delete', refName: ref }
  return isZero(old_oid)
    ? { opType: 'mirror_sync_create', refName: ref }
    : { opType: 'mirror_sync_push', refName: ref, content: NO_COMMITS }
}

function ofUpdate({ ref, new_oid }: RefUpdate): NewActivity {
  const isDeleted = isZero(new_oid)
  if (ref.startsWith('refs/tags/')) return { opType: isDeleted ? 'delete_tag' : 'push_tag', refName: ref }
  return isDeleted
    ? { opType: 'delete_branch', refName: ref }
    : { opType: 'commit_repo', refName: ref, content: NO_COMMITS }
}

const isNewBranch = ({ ref, old_oid }: RefUpdate): boolean => isZero(old_oid) && !ref.startsWith('refs/tags/')

/**
 * COMPAT: a new branch has two entries, one for the branch and one for the push
 * (behaviour/git-data-and-transport#after-a-push; test/repositories/social/activities.test.ts).
 */
const ofNewBranch = ({ ref }: RefUpdate): NewActivity => ({ opType: 'commit_repo', refName: ref })

type Entries = NewActivity | readonly NewActivity[]

/** Inserts the entries that an event adds to feeds; none for an event without an actor (a repair, a deploy key). */
const recordActivity =
  <Kind extends EventKind>(entriesOf: (payload: EventPayload<Kind>, tx: Tx) => Entries | Promise<Entries>) =>
  async (tx: Tx, { id, actorId, repoId: ownRepoId, at, payload }: DomainEvent<Kind>): Promise<void> => {
    if (actorId <= 0) return
    const entries = [await entriesOf(payload, tx)].flat()
    await insertActivities(
      tx,
      entries.map(({ opType, repoId = ownRepoId, refName = '', content = '' }, position) => ({
        event_id: id,
        position,
        op_type: opType,
        actor_id: actorId,
        repo_id: repoId,
        ref_name: refName,
        content,
        created_at: at,
      })),
    )
  }

/** Every kind of event that appears in feeds; projections, because clients read a feed right after a change. */
export const activityProjections = {
  'release.published': recordActivity<'release.published'>(({ tag_name, title }) => ({
    opType: 'publish_release',
    refName: tag_name,
    content: title,
  })),
  'repo.created': recordActivity<'repo.created'>(() => ({ opType: 'create_repo' })),
  'repo.forked': recordActivity<'repo.forked'>(({ fork_id }) => ({ opType: 'create_repo', repoId: fork_id })),
  'repo.renamed': recordActivity<'repo.renamed'>(({ old_name }) => ({ opType: 'rename_repo', content: old_name })),
  // NOTE: the entries of the updates come first: `activity.describe` finds them by their position.
  'repo.pushed': recordActivity<'repo.pushed'>(({ updates, is_mirror_sync }) =>
    is_mirror_sync
      ? updates.map(ofMirrorSync)
      : [...updates.map(ofUpdate), ...updates.filter(isNewBranch).map(ofNewBranch)],
  ),
  'repo.transferred': recordActivity<'repo.transferred'>(async ({ name, old_owner_id }, tx) => ({
    opType: 'transfer_repo',
    content: `${(await findUserById(tx, asId(old_owner_id)))?.name ?? ''}/${name}`,
  })),
} satisfies Projections
