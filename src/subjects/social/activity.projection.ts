import type { Tx } from '../../db/database.ts'
import type { EventKind, EventPayload } from '../../events/catalog.ts'
import { asId } from '../../platform/ids.ts'
import { findUserById } from '../users/user.store.ts'
import { insertActivities } from './activity.store.ts'

/** As EventOrigin of append.ts. */
interface Origin {
  readonly actorId: number
  readonly repoId: number
  readonly at: number
}

/** What a feed tells of an event, in the contract's words (reference users-and-admin §6). */
interface NewActivity {
  readonly opType: string
  /** When it is not the event's own. */
  readonly repoId?: number
  readonly refName?: string
  readonly content?: string
}

type Told = NewActivity | readonly NewActivity[]
type Telling<Kind extends EventKind> = (payload: EventPayload<Kind>, tx: Tx) => Told | Promise<Told>
type Tellings = { readonly [Kind in EventKind]?: Telling<Kind> }

/** Every kind of event that feeds show: one line each. */
const tellings: Tellings = {
  'release.published': ({ tag_name, title }) => ({ opType: 'publish_release', refName: tag_name, content: title }),
  'repo.created': () => ({ opType: 'create_repo' }),
  'repo.forked': ({ fork_id }) => ({ opType: 'create_repo', repoId: fork_id }),
  'repo.renamed': ({ old_name }) => ({ opType: 'rename_repo', content: old_name }),
  // NOTE: the entries of the updates come first: `activity.describe` finds them by their place.
  'repo.pushed': ({ updates, is_mirror_sync }) =>
    is_mirror_sync
      ? updates.map(ofMirrored)
      : [...updates.map(ofUpdate), ...updates.filter(isNewBranch).map(ofNewBranch)],
  'repo.transferred': async ({ name, old_owner_id }, tx) => ({
    opType: 'transfer_repo',
    content: `${(await findUserById(tx, asId(old_owner_id)))?.name ?? ''}/${name}`,
  }),
}

/** What clients parse as the commits of a push, before `activity.describe` has looked at them. */
const NO_COMMITS = JSON.stringify({ Commits: [], HeadCommit: null, CompareURL: '', Len: 0 })

const isZero = (oid: string): boolean => /^0+$/.test(oid)

type RefUpdate = EventPayload<'repo.pushed'>['updates'][number]

function ofMirrored({ ref, old_oid, new_oid }: RefUpdate): NewActivity {
  if (isZero(new_oid)) return { opType: 'mirror_sync_delete', refName: ref }
  return isZero(old_oid)
    ? { opType: 'mirror_sync_create', refName: ref }
    : { opType: 'mirror_sync_push', refName: ref, content: NO_COMMITS }
}

function ofUpdate({ ref, new_oid }: RefUpdate): NewActivity {
  const isGone = isZero(new_oid)
  if (ref.startsWith('refs/tags/')) return { opType: isGone ? 'delete_tag' : 'push_tag', refName: ref }
  return isGone
    ? { opType: 'delete_branch', refName: ref }
    : { opType: 'commit_repo', refName: ref, content: NO_COMMITS }
}

const isNewBranch = ({ ref, old_oid }: RefUpdate): boolean => isZero(old_oid) && !ref.startsWith('refs/tags/')

/** COMPAT: a new branch is told twice, as a branch and as a push (reference git-data §15). */
const ofNewBranch = ({ ref }: RefUpdate): NewActivity => ({ opType: 'commit_repo', refName: ref })

/**
 * Writes what feeds tell of an event, in the event's own transaction: clients read a feed right after they did
 * something. What nobody did (a repair, a deploy key) is not told.
 */
export async function tellActivity<Kind extends EventKind>(
  tx: Tx,
  event: { readonly id: number; readonly kind: Kind; readonly origin: Origin; readonly payload: EventPayload<Kind> },
): Promise<void> {
  const { id, kind, origin, payload } = event
  const telling = tellings[kind] as Telling<Kind> | undefined
  if (telling === undefined || origin.actorId <= 0) return
  const told = [await telling(payload, tx)].flat()
  await insertActivities(
    tx,
    told.map(({ opType, repoId = origin.repoId, refName = '', content = '' }, position) => ({
      event_id: id,
      position,
      op_type: opType,
      actor_id: origin.actorId,
      repo_id: repoId,
      ref_name: refName,
      content,
      created_at: origin.at,
    })),
  )
}
