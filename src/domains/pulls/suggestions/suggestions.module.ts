import { KeyedMutex } from '../../../core/platform/concurrency/lock-table.ts'
import { defineModule } from '../../../core/module.ts'
import { suggestionJobs } from './suggestions.jobs.ts'
import { suggestionOperations } from './suggestions.operations.ts'
import { createSuggestions } from './suggestions.service.ts'

/** Suggested changes in review comments, applied as commits to the head branch. */
export const module = defineModule({
  name: 'suggestions',
  needs: ['commitViews', 'pushes', 'signer'],
  create({ config, database, git, clock, jobs, processes, site }, { commitViews: views, pushes, signer }, guards) {
    const noReplyDomain = config.service.no_reply_address
    const locks = new KeyedMutex({ name: 'suggestions', locks: processes.locks })
    const deps = { database, git, clock, jobs, pushes, signer, noReplyDomain, views, locks }
    return {
      operations: suggestionOperations({ guards, suggestions: createSuggestions(deps), site }),
      jobs: suggestionJobs(deps),
    }
  },
})
