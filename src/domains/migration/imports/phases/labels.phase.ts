import type { Clock } from '../../../../core/platform/clock.ts'
import type { Tx } from '../../../../core/db/database.ts'
import { flag } from '../../../../core/db/flag.ts'
import { readColor, labelQueries } from '../../../issues/index.ts'
import type { ImportPhase, PhaseContext } from '../phase.ts'
import type { SourceLabel } from '../source.ts'
import { batchesAfter } from './batches.ts'
import { boundedText, cleanText } from './clean-values.ts'
import { labelName } from './label-name.ts'

/** Colour of labels whose own colour is invalid. */
const DEFAULT_COLOR = 'cccccc'
const MAX_DESCRIPTION = 4096

/** Labels in the order of the service. The cursor is the number of labels that were read. */
export const labelsPhase = ({ clock }: { readonly clock: Clock }): ImportPhase => ({
  name: 'labels',
  isWanted: ({ parts }) => parts.has('labels'),
  async *steps(context, cursor) {
    const pages = context.source.labels(context.signal)
    for await (const { batch, read } of batchesAfter(pages, Number(cursor), ({ description }) => description.length))
      yield { cursor: String(read), count: batch.length, write: (tx) => writeLabels(tx, context, batch, clock.now()) }
  },
})

/** One label of each name: issues of the source name their labels. */
async function writeLabels(
  tx: Tx,
  { repoId, warn }: PhaseContext,
  labels: readonly SourceLabel[],
  at: number,
): Promise<void> {
  const names = labels.map(({ name }) => labelName(name))
  const known = new Set((await labelQueries.listIdsByName(tx, repoId, names)).keys())
  const rows = labels.flatMap((label, index) => {
    const name = names[index]!
    if (name.trim() === '') warn('a label without a name was not imported')
    else if (known.has(name)) warn(`a second label ${JSON.stringify(name)} was not imported`)
    if (name.trim() === '' || known.has(name)) return []
    known.add(name)
    if (name !== cleanText(label.name)) warn(`the name of the label ${JSON.stringify(name)} was cut`)
    const onCut = (): void => warn(`the description of the label ${JSON.stringify(name)} was cut`)
    return {
      name,
      color: readColor(label.color) ?? DEFAULT_COLOR,
      description: boundedText(label.description, MAX_DESCRIPTION, onCut),
      is_exclusive: flag(label.isExclusive),
      archived_at: label.isArchived ? at : 0,
    }
  })
  await labelQueries.insert(tx, { repoId }, rows, at)
}
