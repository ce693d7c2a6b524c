import type { Core } from '../../../core/module.ts'
import { type EventKind, findMissedEvents } from '../../../core/events/index.ts'
import { createPauses } from '../../../core/platform/concurrency/pauses.ts'
import type { RepoId } from '../../../core/platform/crypto/ids.ts'
import type { BuildMessages } from '../hooks/payloads/payload.ts'
import type { RepoInView } from '../../repositories/index.ts'
import type { Board, Channel, Listener } from '../../../core/streams/index.ts'
import { createNotices, type Notice } from './event-notices.ts'
import { canReadUnits, isShownKind, SHOWN_KINDS } from './shown-events.policy.ts'

/** What happens in repositories, for those who listen (behaviour/repositories#event-stream). */
export interface RepoBoard extends Board {
  channel(repoId: RepoId): Channel<RepoInView>
}

interface RepoBoardDeps extends Pick<Core, 'database' | 'clock' | 'log'> {
  readonly messageBuilders: ReadonlyMap<EventKind, BuildMessages>
}

/** Messages to a client that resumes; each is built again. */
const MAX_MISSED = 1000

export function createRepoBoard({ database: { read }, clock, log, messageBuilders }: RepoBoardDeps): RepoBoard {
  const listeners = new Map<number, Set<Listener<RepoInView>>>()
  const notices = createNotices({ read, log, messageBuilders })
  return {
    wants: ({ repoId, kind }) => listeners.has(repoId) && isShownKind(kind),
    async take(events) {
      for await (const notice of notices.load(events)) await sendAll(listeners.get(notice.repoId) ?? [], notice)
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
      async *read(events, listener) {
        const canRead = ({ units }: Pick<Notice, 'units'>) => canReadUnits(listener.access.access, units)
        for await (const notice of notices.load(events, canRead))
          if ((await listener.isAdmitted()) && canRead(notice)) yield notice.message
      },
      maxMissed: MAX_MISSED,
    }),
  }
}

async function sendAll(listeners: Iterable<Listener<RepoInView>>, { units, message }: Notice): Promise<void> {
  const pause = createPauses()
  for (const listener of listeners) {
    if ((await listener.isReady()) && canReadUnits(listener.access.access, units)) listener.send([message])
    await pause()
  }
}
