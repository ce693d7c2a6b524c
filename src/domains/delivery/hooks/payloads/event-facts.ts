import type { Core, Services } from '../../../../core/module.ts'
import { NO_ACCESS, ownerAccess, presentablePermissions, type RepoAccess } from '../../../../core/access/repo-access.ts'
import { ANONYMOUS, viewerOfAccount } from '../../../../core/access/viewer.ts'
import { type DomainEvent, type EventPayload, listEventsBetween } from '../../../../core/events/index.ts'
import { asId } from '../../../../core/platform/crypto/ids.ts'
import { type Repo, type Repository, repoQueries, accessQueries } from '../../../repositories/index.ts'
import { type User, userQueries, userPresenters } from '../../../accounts/index.ts'
import { presentPayloadRepo } from '../hook.present.ts'
import type { PayloadUser } from './payload-types.ts'
import type { Db } from '../../../../core/db/database.ts'

type Deletion = 'action_run.deleted' | 'comment.deleted' | 'issue.deleted' | 'pull.deleted' | 'repo.deleted'

/** The number of deletions in a repository that are searched: a message is built soon after its event. */
const LATER = 100

/**
 * The deletion event of the object of an event, with its last state; undefined when `isOf` matches none of the next
 * deletions of the repository.
 */
export async function findDeletion<Kind extends Deletion>(
  db: Db,
  { id, repoId }: Pick<DomainEvent, 'id' | 'repoId'>,
  kind: Kind,
  isOf: (payload: EventPayload<Kind>) => boolean,
): Promise<EventPayload<Kind> | undefined> {
  const rows = await listEventsBetween(db, { after: id, upTo: Number.MAX_SAFE_INTEGER, repoId, kinds: [kind] }, LATER)
  return rows.map((row) => JSON.parse(row.payload) as EventPayload<Kind>).find(isOf)
}

/** The last state of a deleted repository; undefined when its owner was deleted, too. */
export async function deletedRepo(
  db: Db,
  { record, owner_id: ownerId }: EventPayload<'repo.deleted'>,
): Promise<Repo | undefined> {
  const owner = await userQueries.findById(db, asId(ownerId))
  return record && owner && { ...record, owner }
}

/** The permissions in a payload: those of the actor, or fixed ones. */
type Permissions = 'sender' | keyof typeof FIXED

const FIXED = {
  all: { admin: true, push: true, pull: true },
  none: { admin: false, push: false, pull: false },
} as const

/** The common data of all payloads. */
export interface EventFacts {
  readonly repo: Repo
  readonly repository: Repository
  readonly sender: PayloadUser
  /** The repository was deleted after the event, so its git data no longer exists. */
  readonly isDeleted: boolean
}

/** The actor and the repository of an event. */
interface EventOrigin extends Pick<DomainEvent, 'id'> {
  readonly repoId: number
  /**
   * 0 for no account, such as a deploy key or the sync of a mirror; the payload then shows the owner of the repository.
   */
  readonly actorId: number
}

export interface EventFactsLoader {
  /** For a deleted repository, returns the data of its deletion event; undefined when its owner was deleted, too. */
  findRepo(event: Pick<DomainEvent, 'id' | 'repoId'>): Promise<Repo | undefined>
  /** Undefined as for `findRepo`. */
  load(origin: EventOrigin, permissions: Permissions): Promise<EventFacts | undefined>
  /** The same for a repository that the caller has already loaded and that may be deleted. */
  of(repo: Repo, actorId: number, permissions: Permissions): Promise<Omit<EventFacts, 'isDeleted'>>
  /** Loads only the actor. */
  loadSender(actorId: number, owner: User): Promise<PayloadUser>
}

export interface EventFactsDeps extends Pick<Core, 'database' | 'site'> {
  readonly repos: Pick<Services['repos'], 'view'>
}

/**
 * The repository and the actor as publicly visible. `permissions` are those of the actor unless the event type has
 * fixed ones (behaviour/orgs-webhooks-actions#payloads).
 */
export function createEventFacts({ database: { read }, repos, site }: EventFactsDeps): EventFactsLoader {
  const loader: EventFactsLoader = {
    findRepo: async (event) => (await repoQueries.findById(read, asId(event.repoId))) ?? findDeletedRepo(event),
    async load(event, permissions) {
      const there = await repoQueries.findById(read, asId(event.repoId))
      const repo = there ?? (await findDeletedRepo(event))
      return repo && { ...(await loader.of(repo, event.actorId, permissions)), isDeleted: there === undefined }
    },
    async of(repo, actorId, permissions) {
      const actor = await findActor(actorId, repo.owner)
      const shown = permissions === 'sender' ? presentablePermissions(await accessOf(actor, repo)) : FIXED[permissions]
      const view = await repos.view(ANONYMOUS, { repo, access: NO_ACCESS })
      return { repo, repository: presentPayloadRepo(view, shown, site), sender: presentSender(actor, actorId) }
    },
    loadSender: async (actorId, owner) => presentSender(await findActor(actorId, owner), actorId),
  }
  const findDeletedRepo = async (event: Pick<DomainEvent, 'id' | 'repoId'>): Promise<Repo | undefined> => {
    const deletion = await findDeletion(read, event, 'repo.deleted', () => true)
    return deletion && deletedRepo(read, deletion)
  }
  const findActor = async (id: number, owner: User): Promise<User | undefined> =>
    id === 0 ? owner : id > 0 ? userQueries.findById(read, asId(id)) : undefined
  const accessOf = async (actor: User | undefined, repo: Repo): Promise<RepoAccess> => {
    if (actor === undefined) return NO_ACCESS
    return actor.id === repo.owner.id ? ownerAccess(repo) : accessQueries.load(read, viewerOfAccount(actor), repo)
  }
  const presentSender = (actor: User | undefined, id: number): PayloadUser =>
    actor === undefined
      ? (userPresenters.presentVirtualById(id, site) ?? userPresenters.presentGhost(site))
      : userPresenters.present(actor, ANONYMOUS, site)
  return loader
}
