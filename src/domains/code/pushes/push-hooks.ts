import { type Actor, actorOf } from '../../../core/access/viewer.ts'
import { isGitError } from '../../../core/git/index.ts'
import { asId } from '../../../core/platform/crypto/ids.ts'
import type { Logger } from '../../../core/platform/logger.ts'
import type { Repo } from '../../repositories/index.ts'
import type { RefChange } from './record-push.ts'

export interface RecordedPush {
  readonly repo: Repo
  /** To whom the push is attributed. */
  readonly actor: Actor
  readonly changes: readonly RefChange[]
}

type PostPushHook = (push: RecordedPush) => Promise<void>

export type PostPushHooks = ReturnType<typeof createPostPushHooks>

/**
 * Hooks that run after a push is recorded and before it is answered, for refs and rows that clients read right after
 * their push. A hook must be short, and a job must repair later what it fails to do.
 */
export function createPostPushHooks(log: Logger) {
  const hooks: PostPushHook[] = []
  return {
    /** While the server is composed. */
    register: (hook: PostPushHook): void => void hooks.push(hook),
    /** `pusherId`: 0 for no account. */
    async run(repo: Repo, pusherId: number, changes: readonly RefChange[]): Promise<void> {
      const push = { repo, actor: actorOf(asId(pusherId)), changes }
      for (const hook of hooks) {
        // NOTE: the refs have moved: a caller that received the error would repeat the push.
        await hook(push).catch((error: unknown) =>
          log.error({ err: error, repo: repo.id }, 'post-push hook failed; a job will retry'),
        )
      }
    },
  }
}

/** Updates the refs of these names in the repository that is stored there; ignores other names. */
type UpdateRefs = (storage: string, names: readonly string[]) => Promise<void>

export type OnDemandRefs = ReturnType<typeof createOnDemandRefs>

/**
 * Refs that are written when a client of protocol v2 requests them by name. The updates run before the refs are listed:
 * they must be short, and do nothing for refs that are up to date.
 */
export function createOnDemandRefs(log: Logger) {
  const updates: UpdateRefs[] = []
  return {
    /** While the server is composed. */
    register: (update: UpdateRefs): void => void updates.push(update),
    async update(storage: string, names: readonly string[]): Promise<void> {
      for (const update of updates) {
        try {
          await update(storage, names)
        } catch (error) {
          if (!isGitError(error)) throw error
          log.warn({ err: error, storage }, 'failed to update a ref that a client requested')
        }
      }
    },
  }
}
