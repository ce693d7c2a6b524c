import type { Clock } from '../../../../core/platform/clock.ts'
import type { Tx } from '../../../../core/db/database.ts'
import { NAME_LENGTH, TEXT_LENGTH } from '../../../../core/http/body/limits.ts'
import { issueImports } from '../../../issues/index.ts'
import type { ImportPhase, PhaseContext } from '../phase.ts'
import type { SourceMilestone } from '../source.ts'
import { batchesAfter } from './batches.ts'
import { boundedText, cleanText, dueTime, pastTime } from './clean-values.ts'

/** Milestones in the order of the service. The cursor is the number of milestones that were read. */
export const milestonesPhase = ({ clock }: { readonly clock: Clock }): ImportPhase => ({
  name: 'milestones',
  isWanted: ({ parts }) => parts.has('milestones'),
  async *steps(context, cursor) {
    const pages = context.source.milestones(context.signal)
    for await (const { batch, read } of batchesAfter(pages, Number(cursor), ({ description }) => description.length))
      yield {
        cursor: String(read),
        count: batch.length,
        write: (tx) => writeMilestones(tx, context, batch, clock.now()),
      }
  },
})

async function writeMilestones(
  tx: Tx,
  context: PhaseContext,
  milestones: readonly SourceMilestone[],
  now: number,
): Promise<void> {
  const { repoId, keys, source, warn } = context
  const known = await keys.get(
    tx,
    'milestone',
    milestones.map(({ key }) => cleanText(key)),
  )
  const added = new Map<string, number>()
  for (const milestone of milestones) {
    const key = cleanText(milestone.key)
    const title = boundedText(milestone.title, NAME_LENGTH, () => warn(`the title of milestone ${key} was cut`)).trim()
    if (known.has(key) || added.has(key)) {
      warn(`the milestone ${JSON.stringify(title)} was not imported: there is another one with the key ${key}`)
      continue
    }
    const text = source.rewriteReferences(milestone.description)
    const createdAt = pastTime(milestone.createdAt, now)
    const { id } = await issueImports.insertMilestone(tx, repoId, {
      title: title || key,
      description: boundedText(text, TEXT_LENGTH, () => warn(`the description of milestone ${key} was cut`)),
      isClosed: milestone.isClosed,
      dueAt: dueTime(milestone.dueAt),
      createdAt,
      updatedAt: Math.max(createdAt, pastTime(milestone.updatedAt, now, createdAt)),
      closedAt: milestone.closedAt === undefined ? undefined : pastTime(milestone.closedAt, now, createdAt),
    })
    added.set(key, id)
  }
  await keys.set(tx, 'milestone', added)
}
