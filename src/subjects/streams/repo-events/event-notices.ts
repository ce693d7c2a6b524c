import type { Unit } from '../../../access/units.ts'
import type { Db } from '../../../db/database.ts'
import type { DomainEvent } from '../../../events/index.ts'
import { wireTime } from '../../../platform/clock.ts'
import { asId, type RepoId } from '../../../platform/crypto/ids.ts'
import { listReposByIds, type Repo } from '../../repos/index.ts'
import { listUsersByIds, type User } from '../../users/index.ts'
import { dataMessage, type Message } from '../hub/message.ts'
import { nameOfKind, showEvent } from './shown-events.policy.ts'
import type { RepoEvent } from './repo-event.model.ts'

/** A message with the units that a reader needs one of, see `ShownEvent`. */
export interface Notice {
  readonly repoId: number
  readonly units: readonly Unit[]
  readonly message: Message
}

/** What the events say, for all listeners, in two queries. */
export async function loadNotices(db: Db, events: readonly DomainEvent[]): Promise<Notice[]> {
  if (events.length === 0) return []
  const [repos, actors] = await Promise.all([
    listReposByIds(db, [...new Set(events.map(({ repoId }) => asId<RepoId>(repoId)))]),
    listUsersByIds(
      db,
      events.map(({ actorId }) => asId(actorId)),
    ),
  ])
  const repoOf = new Map<number, Repo>(repos.map((repo) => [repo.id, repo]))
  const actorOf = new Map<number, User>(actors.map((user) => [user.id, user]))
  return events.flatMap((event) => {
    const shown = showEvent(event)
    const repo = repoOf.get(event.repoId)
    if (shown === undefined || repo === undefined) return []
    const { units, payload } = shown
    const data = presentEvent(event, { repo, actor: actorOf.get(event.actorId), payload })
    return { repoId: event.repoId, units, message: dataMessage(event.id, data) }
  })
}

const presentEvent = (
  { id, kind, at }: DomainEvent,
  { repo, actor, payload }: { repo: Repo; actor: User | undefined; payload: object },
): RepoEvent => ({
  id,
  kind: nameOfKind(kind),
  repo: { id: repo.id, name: repo.name, full_name: repo.fullName },
  actor: actor === undefined ? null : { id: actor.id, login: actor.name },
  created_at: wireTime(at),
  payload: payload as RepoEvent['payload'],
})
