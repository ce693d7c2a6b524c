import type { Core } from '../../../../core/module.ts'
import { tooLarge } from '../../../../core/platform/errors.ts'
import { countOtherSummaries, listSummaries, putSummary, type StepKey, type Summary } from './summary.store.ts'

/** Maximum number of summaries of one task. */
const MAX_SUMMARIES = 20
const SHOWN = { limit: 20, length: 64 * 1024 }

export type StepSummaries = ReturnType<typeof createStepSummaries>

/** What steps write for the page of their run (behaviour/actions#artifact-protocols-and-cache). */
export const createStepSummaries = ({ database }: Pick<Core, 'database'>) => ({
  /** An empty text deletes the summary of the step. Throws TooLarge when the task has too many. */
  put: (key: StepKey, text: string): Promise<void> =>
    database.transaction(async (tx) => {
      if ((await countOtherSummaries(tx, key)) >= MAX_SUMMARIES)
        throw tooLarge(`a job has at most ${MAX_SUMMARIES} summaries`)
      await putSummary(tx, key, text)
    }),
  /** Summaries of the latest attempts of the jobs of a run, cut as its page shows them. */
  list: (runId: number): Promise<Summary[]> => listSummaries(database.read, runId, SHOWN),
})
