import type { ImportPhase } from '../phase.ts'
import { batchesOf } from './batches.ts'
import { type IssueWriterDeps, type PreparedIssue, prepareIssue, writeIssues } from './imported-issues.ts'

/** Issues with their files and reactions. The cursor is the highest number that was read. */
export const issuesPhase = (deps: IssueWriterDeps): ImportPhase => ({
  name: 'issues',
  isWanted: ({ parts }) => parts.has('issues'),
  async *steps(context, cursor) {
    let last = Number(cursor)
    for await (const page of context.source.issues(last, context.signal))
      for (const batch of batchesOf(page, ({ body }) => body.length)) {
        const prepared: PreparedIssue[] = []
        for (const issue of batch) {
          const found = await prepareIssue(deps, context, issue, false)
          if (found === undefined) continue
          prepared.push(found)
          last = Math.max(last, issue.number)
        }
        yield {
          cursor: String(last),
          count: prepared.length,
          write: async (tx) => void (await writeIssues(tx, context, prepared)),
        }
      }
  },
})
