import { canSeeRepo } from '../../access/repo-access.ts'
import { isOrgMember } from '../../access/repo-grants.store.ts'
import { ALL_SCOPES } from '../../access/scopes.ts'
import type { SignedIn } from '../../access/viewer.ts'
import type { Database, Tx } from '../../db/database.ts'
import { appendEvent } from '../../events/index.ts'
import type { Clock } from '../../platform/clock.ts'
import { DomainError } from '../../platform/errors.ts'
import type { UserId } from '../../platform/ids.ts'
import type { Page, Paging } from '../../platform/paging.ts'
import { getOwnerInView, loadRepoAccess } from '../repos/lookup.ts'
import { findRepoById } from '../repos/repo.store.ts'
import {
  type Block,
  deleteBlock,
  deleteCollaborationsWith,
  deleteTransfersBetween,
  hasBlock,
  insertBlock,
  leaveAlone,
  listBlocks,
} from './block.store.ts'
import { findUserByName, holdUsers, type User } from './user.store.ts'

/** Who blocks, and who does it for them: the user itself, or an owner of the organization. */
export interface Blocker {
  readonly viewer: SignedIn
  readonly account: Pick<User, 'id' | 'kind'>
}

/**
 * `strict` refuses what changes nothing with 400; otherwise that is fine, and refusals are 422: the two families of
 * clients.
 */
export interface BlockOptions {
  readonly strict: boolean
  /** For the blocker alone. */
  readonly note?: string | undefined
}

/** Blocking by users and organizations (seed, blocked; reference users-and-admin §7). */
export interface Blocks {
  /** In the order in which they were blocked. */
  list(blocker: Blocker, paging: Paging): Promise<Page<Block>>
  /** Throws NotFound for an unknown or hidden user. */
  isBlocked(blocker: Blocker, name: string): Promise<boolean>
  /**
   * Ends what ties the two together: follows, stars, watches, collaborations, pending transfers. Throws NotFound, and
   * refusals.
   */
  block(blocker: Blocker, name: string, options: BlockOptions): Promise<void>
  /** Brings nothing back. Throws NotFound, and refusals. */
  unblock(blocker: Blocker, name: string, options: BlockOptions): Promise<void>
}

export function createBlocks({ database, clock }: { database: Database; clock: Clock }): Blocks {
  const { read } = database
  /** NOTE: somebody blocked earlier stays within reach when it hides itself. */
  const find = async ({ viewer, account }: Blocker, name: string): Promise<User> => {
    const user = await findUserByName(read, name)
    return user !== undefined && (await hasBlock(read, account.id, user.id)) ? user : getOwnerInView(read, viewer, name)
  }
  return {
    list: ({ account }, paging) => listBlocks(read, account.id, paging),
    isBlocked: async (blocker, name) => hasBlock(read, blocker.account.id, (await find(blocker, name)).id),

    async block(blocker, name, { strict, note = '' }) {
      const user = await find(blocker, name)
      requireIndividual(user, strict ? 'cannot block an organization' : undefined)
      const { account, viewer } = blocker
      if (!strict && user.id === account.id) return
      const at = clock.now()
      await database.transaction(async (tx) => {
        await holdUsers(tx, [account.id, user.id])
        const outOfReach =
          user.id === account.id ||
          user.id === viewer.account.id ||
          (account.kind === 'organization' && (await isOrgMember(tx, account.id, user.id)))
        if (outOfReach) throw refused(strict, 'cannot block the user')
        if (!(await insertBlock(tx, { blockerId: account.id, blockedId: user.id, note, at }))) {
          if (strict) throw refused(strict, 'cannot block the user')
          return
        }
        await part(tx, { blocker: account.id, user, actorId: viewer.account.id, at })
        await appendEvent(
          tx,
          'user.blocked',
          { actorId: viewer.account.id, repoId: 0, at },
          { blocker_id: account.id, user_id: user.id },
        )
      })
    },

    async unblock(blocker, name, { strict }) {
      const user = await find(blocker, name)
      requireIndividual(user, strict ? 'cannot unblock an organization' : undefined)
      const { account, viewer } = blocker
      await database.transaction(async (tx) => {
        if (await deleteBlock(tx, account.id, user.id)) {
          await appendEvent(
            tx,
            'user.unblocked',
            { actorId: viewer.account.id, repoId: 0, at: clock.now() },
            { blocker_id: account.id, user_id: user.id },
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

interface Parting {
  readonly blocker: UserId
  readonly user: User
  readonly actorId: UserId
  readonly at: number
}

/** Everything that ties the two, whichever way it points (reference users-and-admin §7). */
async function part(tx: Tx, { blocker, user, actorId, at }: Parting): Promise<void> {
  await leaveAlone(tx, user.id, blocker)
  await leaveAlone(tx, blocker, user.id)
  await deleteTransfersBetween(tx, blocker, user.id)
  await deleteCollaborationsWith(tx, blocker, user.id)
  for (const repoId of await deleteCollaborationsWith(tx, user.id, blocker)) {
    const repo = (await findRepoById(tx, repoId))!
    const viewer: SignedIn = {
      kind: 'user',
      account: user,
      scopes: ALL_SCOPES,
      method: 'password',
      tokenId: undefined,
      onlyRepos: undefined,
    }
    const hasAccess = canSeeRepo(await loadRepoAccess(tx, viewer, repo))
    await appendEvent(
      tx,
      'repo.collaborator_removed',
      { actorId, repoId, at },
      { repo_id: repoId, user_id: user.id, has_access: hasAccess },
    )
  }
}
