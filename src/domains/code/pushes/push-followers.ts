import { type Actor, actorOf } from '../../../core/access/viewer.ts'
import { asId } from '../../../core/platform/crypto/ids.ts'
import type { Logger } from '../../../core/platform/logger.ts'
import type { Repo } from '../../repositories/index.ts'
import type { RefChange } from './record-push.ts'

export interface FollowedPush {
  readonly repo: Repo
  /** To whom the push is attributed. */
  readonly actor: Actor
  readonly changes: readonly RefChange[]
}

/** Moves what follows refs that have moved. */
type Follow = (push: FollowedPush) => Promise<void>

export type PushFollowers = ReturnType<typeof createPushFollowers>

/**
 * Port for modules whose refs and rows follow branches and that clients read right after their push: it runs after the
 * push is recorded and before it is answered, so it must be short. Whatever fails here must be repaired later by a job.
 */
export function createPushFollowers(log: Logger) {
  const followers: Follow[] = []
  return {
    /** While the server is composed. */
    register: (follow: Follow): void => void followers.push(follow),
    /** `pusherId`: 0 for no account. */
    async follow(repo: Repo, pusherId: number, changes: readonly RefChange[]): Promise<void> {
      const push = { repo, actor: actorOf(asId(pusherId)), changes }
      for (const run of followers) {
        // NOTE: the push has happened; a caller that hears of a moved ref would write it once more.
        await run(push).catch((error: unknown) =>
          log.error({ err: error, repo: repo.id }, 'what follows a push could not follow at once'),
        )
      }
    },
  }
}
