import { restrictionOf } from '../../../../core/access/authorize.ts'
import { issueImports } from '../../../issues/index.ts'
import type { ImportPhase } from '../phase.ts'
import { REFERRING, REPLACED } from './clear.phase.ts'
import type { ItemDeps } from './imported-items.ts'

const STEP_ISSUES = 500

/**
 * The last phase: counters of issues, labels and milestones, pins and the next number, which the other phases do not
 * change, and entries in the timelines of unchanged issues about those that were imported again. The cursor is the last
 * number whose comments were counted.
 */
export const countsPhase = ({ database, maxPins }: ItemDeps & { readonly maxPins: number }): ImportPhase => ({
  name: 'counts',
  isWanted: ({ parts }) => parts.has('issues') || parts.has('pull_requests'),
  async *steps({ repoId, keys, actor, request: { changed } }, cursor) {
    const restriction = restrictionOf(actor)
    let after = Number(cursor)
    for (;;) {
      const items = await issueImports.listItems(database.read, repoId, { after, limit: STEP_ISSUES })
      if (items.length === 0) break
      after = items.at(-1)!.number
      const written = items.filter(({ number }) => changed?.has(number) !== false)
      yield {
        cursor: String(after),
        count: 0,
        async write(tx) {
          await issueImports.recountComments(
            tx,
            written.map(({ id }) => id),
          )
          if (changed === undefined) return
          const writtenAt = (entryIds: readonly string[]) => keys.get(tx, REFERRING, entryIds)
          const former = await keys.get(
            tx,
            REPLACED,
            written.map(({ number }) => String(number)),
          )
          for (const { id, number } of written) {
            const formerId = former.get(String(number))
            if (formerId !== undefined) await issueImports.retarget(tx, { formerId, id, restriction, writtenAt })
          }
        },
      }
    }
    yield { cursor: String(after), count: 0, write: (tx) => issueImports.complete(tx, repoId, maxPins) }
  },
})
