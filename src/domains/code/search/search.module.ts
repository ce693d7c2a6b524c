import { defineModule } from '../../../core/module.ts'
import { codeIndexCheck } from './index/check-code-index.ts'
import { openCodeIndex } from './index/code-index.ts'
import { isIndexComplete } from './index/code-index.store.ts'
import { createIndexer } from './index/indexer.ts'
import { codeIndexTasks, createCodeIndexJobs } from './search.jobs.ts'
import { searchOperations } from './search.operations.ts'
import { type CodeSearchLimits, createCodeSearch, SEARCH_LIMITS } from './search.service.ts'
import { codeIndexSubscriptions } from './search.subscriber.ts'

declare module '../../../core/module.ts' {
  interface Tuning {
    readonly codeSearch: Partial<CodeSearchLimits>
  }
}

const MIB = 1024 * 1024

/** Search in the code of default branches. */
export const module = defineModule({
  name: 'code-search',
  needs: ['languageProcess'],
  async create(core, { languageProcess }, guards) {
    const { config, database, jobs, log, site, taskPool, tuning } = core
    const { search } = config
    const index = search.code_enabled ? await openCodeIndex(database, log) : undefined
    const limits = { maxFileSize: search.max_file_size * 1024, maxTotalSize: search.max_total_size * MIB }
    const indexer = index && createIndexer({ ...core, index, languageProcess, limits })
    const codeSearch = createCodeSearch({
      database,
      taskPool,
      index,
      limits: { ...SEARCH_LIMITS, ...tuning.codeSearch },
    })
    return {
      operations: searchOperations({ codeSearch, guards, site }),
      jobs: createCodeIndexJobs({ database, log, indexer }),
      ...(index && {
        subscriptions: codeIndexSubscriptions(jobs),
        tasks: codeIndexTasks(jobs),
        checks: [codeIndexCheck({ ...core, index })],
        async recover() {
          if (!(await isIndexComplete(index.read)))
            await database.transaction((tx) =>
              jobs.enqueue(tx, 'repos.index_code', { rebuild: false }, { key: 'check' }),
            )
        },
        close: () => index.close(),
      }),
    }
  },
})
