import type { Actor } from '../../../core/access/viewer.ts'
import { isGitError } from '../../../core/git/index.ts'
import { createHook, type Hook } from '../../../core/platform/hook.ts'
import type { Logger } from '../../../core/platform/logger.ts'
import type { Repo } from '../../repositories/index.ts'
import type { RefChange } from './record-push.ts'

export interface RecordedPush {
  readonly repo: Repo
  /** To whom the push is attributed. */
  readonly actor: Actor
  readonly changes: readonly RefChange[]
}

/**
 * Hooks that run after a push is recorded and before it is answered, for refs and rows that clients read right after
 * their push. A hook must be short, and a job must repair later what it fails to do.
 */
export type PostPushHooks = Hook<[push: RecordedPush]>

// NOTE: the refs have moved: a caller that received the error would repeat the push.
export const createPostPushHooks = (log: Logger): PostPushHooks =>
  createHook<[push: RecordedPush]>({
    onError: (error, { repo }) => log.error({ err: error, repo: repo.id }, 'post-push hook failed; a job will retry'),
  })

/**
 * Hooks that update refs when a client of protocol v2 requests them by name, in the repository that is stored there.
 * They run before the refs are listed: they must be short, do nothing for refs that are up to date, and ignore other
 * names.
 */
export type OnDemandRefs = Hook<[storage: string, names: readonly string[]]>

export const createOnDemandRefs = (log: Logger): OnDemandRefs =>
  createHook<[storage: string, names: readonly string[]]>({
    onError(error, storage) {
      if (!isGitError(error)) throw error
      log.warn({ err: error, storage }, 'failed to update a ref that a client requested')
    },
  })
