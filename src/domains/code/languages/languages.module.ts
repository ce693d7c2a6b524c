import { defineModule } from '../../../core/module.ts'
import { createLanguageJobs, languageTasks } from './languages.jobs.ts'
import { languageOperations } from './languages.operations.ts'
import { createLanguages, type Languages } from './languages.service.ts'
import { languageSubscriptions } from './languages.subscriber.ts'

declare module '../../../core/module.ts' {
  interface Services {
    readonly languages: Languages
  }
}

/** The programming languages and licences of repositories. */
export const module = defineModule({
  name: 'languages',
  needs: [],
  create({ database, git, log, jobs }, _services, guards) {
    const languages = createLanguages({ database, git, log })
    return {
      services: { languages },
      operations: languageOperations({ guards, languages }),
      subscriptions: languageSubscriptions(jobs),
      jobs: createLanguageJobs({ database, languages, log }),
      tasks: languageTasks(jobs),
      close: () => languages.close(),
    }
  },
})
