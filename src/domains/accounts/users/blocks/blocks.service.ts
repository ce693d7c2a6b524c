import type { Core } from '../../../../core/module.ts'
import { isOrgMember } from '../../../../core/access/repo-grants.store.ts'
import type { SignedIn } from '../../../../core/access/viewer.ts'
import { DomainError } from '../../../../core/platform/errors.ts'
import type { Page, Paging } from '../../../../core/platform/paging.ts'
import { type Block, deleteBlock, hasBlock, insertBlock, listBlocks } from './block.store.ts'
import { deleteFollow } from '../follows/follow.store.ts'
import { getKnownOwner } from '../owner-lookup.ts'
import { lockUsers, type User } from '../user.store.ts'

/** The account that blocks: the actor itself, or an organization that it owns. */
export type Blocker = Pick<User, 'id' | 'kind'>

/**
 * For the two families of clients: with `strict`, requests without effect are refused and refusals are 400; otherwise
 * they succeed and refusals are 422.
 */
interface BlockOptions {
  readonly strict: boolean
  /** Visible only to the blocker. */
  readonly note?: string | undefined
}

type BlockDeps = Pick<Core, 'database' | 'clock' | 'events'>

export type Blocks = ReturnType<typeof createBlocks>

/**
 * Blocking by users and organizations (behaviour/base-interface#states-and-transitions,
 * behaviour/users-and-admin#blocking).
 */
export function createBlocks({ database, clock, events }: BlockDeps) {
  const { read } = database
  /** NOTE: also finds a hidden account that is already blocked. */
  const find = (viewer: SignedIn, blocker: Blocker, name: string): Promise<User> =>
    getKnownOwner(read, viewer, name, (user) => hasBlock(read, blocker.id, user.id))
  return {
    /** Oldest block first. */
    list: (blocker: Blocker, paging: Paging): Promise<Page<Block>> => listBlocks(read, blocker.id, paging),
    /** Throws NotFound for an unknown or hidden user. */
    isBlocked: async (viewer: SignedIn, blocker: Blocker, name: string): Promise<boolean> =>
      hasBlock(read, blocker.id, (await find(viewer, blocker, name)).id),

    /**
     * Deletes the follows between the two; projections of the event delete stars, watches, collaborations and pending
     * transfers. Throws NotFound, and the refusals of `strict`.
     */
    async block(actor: SignedIn, blocker: Blocker, name: string, { strict, note = '' }: BlockOptions): Promise<void> {
      const user = await find(actor, blocker, name)
      requireIndividual(user, strict ? 'cannot block an organization' : undefined)
      if (!strict && user.id === blocker.id) return
      const at = clock.now()
      await database.transaction(async (tx) => {
        await lockUsers(tx, [blocker.id, user.id])
        const isProtected =
          user.id === blocker.id ||
          user.id === actor.account.id ||
          (blocker.kind === 'organization' && (await isOrgMember(tx, blocker.id, user.id)))
        if (isProtected) throw refused(strict, 'cannot block the user')
        if (!(await insertBlock(tx, { blockerId: blocker.id, blockedId: user.id, note, at }))) {
          if (strict) throw refused(strict, 'cannot block the user')
          return
        }
        await deleteFollow(tx, user.id, blocker.id)
        await deleteFollow(tx, blocker.id, user.id)
        await events.append(tx, 'user.blocked', { actor, repoId: 0, at }, { blocker_id: blocker.id, user_id: user.id })
      })
    },

    /** Restores nothing that the block deleted. Throws NotFound, and the refusals of `strict`. */
    async unblock(actor: SignedIn, blocker: Blocker, name: string, { strict }: BlockOptions): Promise<void> {
      const user = await find(actor, blocker, name)
      requireIndividual(user, strict ? 'cannot unblock an organization' : undefined)
      await database.transaction(async (tx) => {
        if (await deleteBlock(tx, blocker.id, user.id)) {
          await events.append(
            tx,
            'user.unblocked',
            { actor, repoId: 0, at: clock.now() },
            { blocker_id: blocker.id, user_id: user.id },
          )
        } else if (strict) throw refused(strict, 'cannot unblock the user')
      })
    },
  }
}

const refused = (strict: boolean, message: string): DomainError =>
  new DomainError(strict ? 'bad-request' : 'invalid', message)

function requireIndividual(user: User, strictMessage: string | undefined): void {
  if (user.kind !== 'organization') return
  throw refused(strictMessage !== undefined, strictMessage ?? `${user.name} is an organization not a user`)
}
