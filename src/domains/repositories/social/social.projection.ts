import type { Tx } from '../../../core/db/database.ts'
import type { DomainEvent, EventKind, EventPayload, Projections } from '../../../core/events/index.ts'
import { asId, type UserId } from '../../../core/platform/crypto/ids.ts'
import { leavingProjections, userQueries, teamQueries } from '../../accounts/index.ts'
import { insertActivities } from './activities/activity.store.ts'
import { deleteStarsAndWatchesOn, deleteStarsOfOwner, deleteStarsOf } from './social.store.ts'
import { deleteHiddenWatches } from './watches/hidden-watches.ts'
import { watchNewRepo, watchReposOfTeam } from './watches/watches.store.ts'

/** A feed entry in the terms of the API (behaviour/users-and-admin#activity-and-other-lists). */
interface NewActivity {
  readonly opType: string
  /** Set if it differs from that of the event. */
  readonly repoId?: number
  readonly refName?: string
  readonly content?: string
}

/** The content of a push, in the format that clients parse, until `activity.describe` has read its commits. */
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

/** Inserts the feed entries of an event; none for an event without an actor (a repair, a deploy key). */
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

/** The events that appear in feeds. They are projections because clients read a feed right after a change. */
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
    content: `${(await userQueries.findById(tx, asId(old_owner_id)))?.name ?? ''}/${name}`,
  })),
} satisfies Projections

/** The creator watches its new repository if the server is configured so. */
export const repoWatchProjections = {
  async 'repo.created'(
    tx: Tx,
    { actorId, repoId, at, payload: { auto_watch: autoWatch, org_id: orgId } }: DomainEvent<'repo.created'>,
  ) {
    if (autoWatch !== true) return
    await watchNewRepo(tx, {
      repoId: asId(repoId),
      creatorId: asId(actorId),
      orgId: orgId === undefined ? undefined : asId(orgId),
      at,
    })
  },
} satisfies Projections

/** Deletes the stars of repositories that become private. */
export const repoStarProjections: Projections = {
  async 'repo.edited'(tx, { payload: { made_private: ids = [] } }) {
    for (const id of ids) await deleteStarsOf(tx, asId(id))
  },
}

/**
 * A block deletes the stars and watches of either account on repositories of the other
 * (behaviour/users-and-admin#blocking).
 */
export const socialBlockProjections: Projections = {
  async 'user.blocked'(tx, { payload }) {
    const [blocker, user] = [asId<UserId>(payload.blocker_id), asId<UserId>(payload.user_id)]
    await deleteStarsAndWatchesOn(tx, user, blocker)
    await deleteStarsAndWatchesOn(tx, blocker, user)
  },
}

/**
 * With `autoWatch` a user watches the repositories of a team that it joins. A user who leaves stops watching
 * repositories that it can no longer see. When an organization becomes private, the stars of its repositories are
 * deleted.
 */
export function socialOrgProjections({ autoWatch }: { readonly autoWatch: boolean }): Projections {
  return {
    async 'org.visibility_changed'(tx, { payload: { org_id, visibility } }) {
      if (visibility === 'private') await deleteStarsOfOwner(tx, asId(org_id))
    },
    async 'team.member_added'(tx, { at, payload: { org_id, team_id, user_id } }) {
      const team = autoWatch ? await teamQueries.findById(tx, asId(team_id)) : undefined
      if (team === undefined) return
      await watchReposOfTeam(tx, team, asId(user_id), at)
      const user = await userQueries.findById(tx, asId(user_id))
      if (user !== undefined) await deleteHiddenWatches(tx, { id: asId(org_id) }, user)
    },
    ...leavingProjections((tx, orgId, user) => deleteHiddenWatches(tx, { id: orgId }, user)),
  }
}
