import type { RepoAccess } from '../../../access/repo-access.ts'
import type { Database } from '../../../db/database.ts'
import { findMissedEvents } from '../../../events/index.ts'
import type { Clock } from '../../../platform/clock.ts'
import { createPauses } from '../../../platform/concurrency/pauses.ts'
import type { RepoId } from '../../../platform/crypto/ids.ts'
import type { RepoInView } from '../../repos/index.ts'
import type { Listener } from '../hub/listener.ts'
import type { Message } from '../hub/message.ts'
import type { Board, Channel } from '../hub/streams.service.ts'
import { loadNotices, type Notice } from './event-notices.ts'
import { canReadUnits, isShownKind, SHOWN_KINDS } from './shown-events.policy.ts'

/** What happens in repositories, for those who listen (behaviour/repositories#event-stream). */
export interface RepoBoard extends Board {
  channel(repoId: RepoId): Channel<RepoInView>
}

export function createRepoBoard({ database, clock }: { database: Database; clock: Clock }): RepoBoard {
  const listeners = new Map<number, Set<Listener<RepoInView>>>()
  const { read } = database
  return {
    wants: ({ repoId, kind }) => listeners.has(repoId) && isShownKind(kind),
    async take(events) {
      for (const [repoId, notices] of byRepo(await loadNotices(read, events)))
        await sendAll(listeners.get(repoId) ?? [], notices)
    },
    channel: (repoId) => ({
      join(listener) {
        const joined = listeners.get(repoId) ?? new Set()
        listeners.set(repoId, joined.add(listener))
        return () => {
          joined.delete(listener)
          if (joined.size === 0) listeners.delete(repoId)
        }
      },
      missed: (id) => findMissedEvents(read, { id, repoId, kinds: SHOWN_KINDS, now: clock.now() }),
      read: async (events, { access: { access } }) => readable(await loadNotices(read, events), access),
    }),
  }
}

function byRepo(notices: readonly Notice[]): Map<number, Notice[]> {
  const groups = new Map<number, Notice[]>()
  for (const notice of notices) groups.set(notice.repoId, [...(groups.get(notice.repoId) ?? []), notice])
  return groups
}

const readable = (notices: readonly Notice[], access: RepoAccess): Message[] =>
  notices.filter(({ units }) => canReadUnits(access, units)).map(({ message }) => message)

async function sendAll(listeners: Iterable<Listener<RepoInView>>, notices: readonly Notice[]): Promise<void> {
  const pause = createPauses()
  for (const listener of listeners) {
    if (await listener.isReady()) listener.send(readable(notices, listener.access.access))
    await pause()
  }
}
