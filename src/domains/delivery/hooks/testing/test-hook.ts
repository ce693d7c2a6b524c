import type { Actor } from '../../../../core/access/viewer.ts'
import type { Database } from '../../../../core/db/database.ts'
import { notFound } from '../../../../core/platform/errors.ts'
import { errors } from '../../../errors.ts'
import type { Repo } from '../../../repositories/index.ts'
import { acceptsMessage } from '../delivery/match-hooks.policy.ts'
import type { MessageQueue } from '../delivery/message-queue.ts'
import type { BuildTestMessage } from '../payloads/message-builders.ts'
import { findWebhook } from '../webhook.store.ts'

interface HookTest {
  readonly repo: Repo
  readonly hookId: number
  /** The default branch if absent. */
  readonly ref: string | undefined
}

/** Sends test deliveries of webhooks of repositories. Throws NotFound, also if the ref does not exist. */
export type TestHook = (actor: Actor, test: HookTest) => Promise<void>

interface TestHookDeps {
  readonly database: Database
  readonly queue: MessageQueue
  readonly buildTestMessage: BuildTestMessage
}

/** Sends a push of the head of a ref through the regular delivery queue (behaviour/orgs-webhooks-actions#webhooks). */
export function createTestHook({ database, queue, buildTestMessage }: TestHookDeps): TestHook {
  return async ({ account }, { repo, hookId, ref }) => {
    const owner = { scope: 'repository', repoId: repo.id } as const
    const hook = await findWebhook(database.read, owner, hookId)
    if (hook === undefined) throw errors.webhookNotFound()
    const message = await buildTestMessage(repo, account.id, ref)
    if (message === undefined) throw notFound('there is no such ref')
    await database.transaction(async (tx) => {
      const current = await findWebhook(tx, owner, hookId)
      if (current?.isActive === true && acceptsMessage(current, message))
        await queue.add(tx, [{ message, hooks: [current] }])
    })
  }
}
