import { defineModule } from '../../../core/module.ts'
import { createLanguageJobs, languageTasks } from './languages.jobs.ts'
import { languageOperations } from './languages.operations.ts'
import { createLanguages } from './languages.service.ts'
import { languageSubscriptions } from './languages.subscriber.ts'

/** The programming languages and licences of repositories. */
export const module = defineModule({
  name: 'languages',
  needs: [],
  create({ database, git, log, jobs }, _services, guards) {
    const languages = createLanguages({ database, git, log })
    return {
      operations: languageOperations({ guards, languages }),
      subscriptions: languageSubscriptions(jobs),
      jobs: createLanguageJobs({ database, languages, log }),
      tasks: languageTasks(jobs),
      close: () => languages.close(),
    }
  },
})
