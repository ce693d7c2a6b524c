import { issueImports } from '../../../issues/index.ts'
import type { ImportPhase } from '../phase.ts'
import type { ItemDeps } from './imported-items.ts'

const STEP_ISSUES = 500

/**
 * The last phase: counters of issues, labels and milestones, pins and the next number, which the other phases leave as
 * they are. The cursor is the last number whose comments were counted.
 */
export const countsPhase = ({ database, maxPins }: ItemDeps & { readonly maxPins: number }): ImportPhase => ({
  name: 'counts',
  isWanted: ({ parts }) => parts.has('issues') || parts.has('pull_requests'),
  async *steps({ repoId, request: { changed } }, cursor) {
    let after = Number(cursor)
    for (;;) {
      const items = await issueImports.listItems(database.read, repoId, { after, limit: STEP_ISSUES })
      if (items.length === 0) break
      after = items.at(-1)!.number
      const ids = items.filter(({ number }) => changed?.has(number) !== false).map(({ id }) => id)
      yield { cursor: String(after), count: 0, write: (tx) => issueImports.recountComments(tx, ids) }
    }
    yield { cursor: String(after), count: 0, write: (tx) => issueImports.complete(tx, repoId, maxPins) }
  },
})
