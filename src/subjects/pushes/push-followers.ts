import { isGitError } from '../../git/index.ts'
import type { Logger } from '../../platform/logger.ts'
import type { Repo } from '../repos/index.ts'
import type { RefChange } from './record-push.ts'

/** Moves refs that follow refs which have moved. */
type Follow = (repo: Repo, changes: readonly RefChange[]) => Promise<void>

/**
 * Port for subjects whose refs follow branches and that clients read right after their push: it runs after the push is
 * recorded and before it is answered, so it must be short. Whatever fails here must be repaired later by a job.
 */
export interface PushFollowers {
  /** While the server is composed. */
  register(follow: Follow): void
  follow: Follow
}

export function createPushFollowers(log: Logger): PushFollowers {
  const followers: Follow[] = []
  return {
    register: (follow) => void followers.push(follow),
    async follow(repo, changes) {
      for (const run of followers) {
        try {
          await run(repo, changes)
        } catch (error) {
          if (!isGitError(error)) throw error
          log.warn({ err: error, repo: repo.id }, 'a ref could not follow a push')
        }
      }
    },
  }
}
