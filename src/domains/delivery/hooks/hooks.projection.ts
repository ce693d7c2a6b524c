import { setTimeout as sleep } from 'node:timers/promises'
import type { Tx } from '../../../core/db/database.ts'
import type { EventKind, Projections } from '../../../core/events/index.ts'
import { eachAtOnce } from '../../../core/platform/concurrency/each-at-once.ts'
import type { Logger } from '../../../core/platform/logger.ts'
import type { BuildMessages } from './payloads/payload.ts'
import { type DeletedSource, hasActiveWebhooks, lockUnbuiltEvents, storeMessages } from './delivery/hook-event.store.ts'
import { asId } from '../../../core/platform/crypto/ids.ts'
import { copyDefaultWebhooks } from './webhook.store.ts'

interface EarlyBuildDeps {
  readonly builders: ReadonlyMap<EventKind, BuildMessages>
  readonly log: Logger
  /** Only webhooks of the site are enabled. */
  readonly siteOnly: boolean
}

/**
 * The maximum number of events whose messages are built in the transaction of a deletion; the rest is built later
 * without the rows.
 */
const MAX_EVENTS = 100
const AT_ONCE = 4
/** The time after which the transaction stops waiting for messages. */
const MAX_MS = 2_000
const NEVER = new AbortController().signal

/**
 * Builds and stores the messages of earlier events before a repository, an account or a workflow run is deleted. The
 * builders read committed data, so they find the rows that the transaction deletes. NOTE: they read git in a
 * transaction, therefore events and time are limited. Messages are usually built within milliseconds of their event, so
 * there is rarely one to build here.
 */
export function earlyBuildProjections({ builders, log, siteOnly }: EarlyBuildDeps): Projections {
  const kinds = [...builders.keys()]
  const buildEarly = async (tx: Tx, source: DeletedSource): Promise<void> => {
    if (!(await hasActiveWebhooks(tx, { repoId: 0, ownerId: 0, ...source }, { siteOnly }))) return
    const unbuilt = await lockUnbuiltEvents(tx, source, { kinds, limit: MAX_EVENTS })
    if (unbuilt.length === 0) return
    const ended = new AbortController()
    const late = sleep(MAX_MS, undefined, { signal: ended.signal }).catch(() => {})
    const built = new Map<number, Awaited<ReturnType<BuildMessages>>>()
    const building = eachAtOnce(unbuilt, { atOnce: AT_ONCE, signal: NEVER }, async ({ event }) => {
      if (ended.signal.aborted) return
      try {
        built.set(event.id, (await builders.get(event.kind)?.(event)) ?? [])
      } catch (error) {
        log.warn(
          { err: error, event: event.id, kind: event.kind },
          'failed to build the webhook messages of an event before a deletion',
        )
      }
    })
    await Promise.race([building, late])
    ended.abort()
    for (const event of unbuilt) {
      const messages = built.get(event.event.id)
      if (messages !== undefined) await storeMessages(tx, event, messages)
    }
  }
  return {
    'repo.deleting': (tx, { repoId }) => buildEarly(tx, { repoId }),
    'user.deleting': (tx, { payload }) => buildEarly(tx, { ownerId: payload.user_id }),
    'action_run.deleted': (tx, { repoId }) => buildEarly(tx, { repoId }),
  }
}

/** Copies the site's default webhooks to a new repository. */
export const repoWebhookProjections: Projections = {
  'repo.created': (tx, { repoId, at }) => copyDefaultWebhooks(tx, asId(repoId), at),
}
