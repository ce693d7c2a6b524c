import type { Clock } from '../../../../core/platform/clock.ts'
import type { Tx } from '../../../../core/db/database.ts'
import { type ImportedTime, issueImports } from '../../../issues/index.ts'
import type { ImportPhase, PhaseContext } from '../phase.ts'
import type { SourceTrackedTime } from '../source.ts'
import { batchesAfter } from './batches.ts'
import { authorOf, pastTime } from './clean-values.ts'

/** Hundred years in seconds. */
const MAX_SECONDS = 3_153_600_000

/** Tracked times. The cursor is the number of times that were read. */
export const timesPhase = ({ clock }: { readonly clock: Clock }): ImportPhase => ({
  name: 'times',
  isWanted: ({ parts }) => parts.has('issues') || parts.has('pull_requests'),
  async *steps(context, cursor) {
    const pages = context.source.trackedTimes(context.signal)
    for await (const { batch, read } of batchesAfter(pages, Number(cursor), () => 0))
      yield { cursor: String(read), count: batch.length, write: (tx) => writeTimes(tx, context, batch, clock.now()) }
  },
})

async function writeTimes(
  tx: Tx,
  context: PhaseContext,
  times: readonly SourceTrackedTime[],
  now: number,
): Promise<void> {
  const { repoId, warn } = context
  const numbers = times.map(({ issue }) => issue).filter(Number.isSafeInteger)
  const ids = await issueImports.listIds(tx, repoId, numbers)
  await issueImports.insertTimes(
    tx,
    times.flatMap(({ id, issue, user, seconds, createdAt }): ImportedTime[] => {
      const issueId = ids.get(issue)
      if (issueId === undefined || !Number.isInteger(seconds) || seconds === 0 || Math.abs(seconds) > MAX_SECONDS) {
        // Times of objects that the request does not select are not missing.
        const isSelected = context.request.parts.has('issues') && context.request.parts.has('pull_requests')
        if (issueId !== undefined || isSelected) warn(`the tracked time ${id} of issue ${issue} was not imported`)
        return []
      }
      const { userId: actorId, author } = authorOf(context, user)
      return [{ issueId, repoId, actorId, author, seconds, createdAt: pastTime(createdAt, now) }]
    }),
  )
}
