import { LanguageProcess } from './count-languages.ts'
import { defineModule } from '../../../core/module.ts'
import { createLanguageJobs, languageTasks } from './languages.jobs.ts'
import { languageOperations } from './languages.operations.ts'
import { createLanguages } from './languages.service.ts'
import { languageSubscriptions } from './languages.subscriber.ts'

declare module '../../../core/module.ts' {
  interface Services {
    readonly languageProcess: LanguageProcess
  }
}

/** The programming languages and licences of repositories. */
export const module = defineModule({
  name: 'languages',
  needs: [],
  create({ database, git, log, jobs }, _services, guards) {
    const languageProcess = new LanguageProcess()
    const languages = createLanguages({ database, git, log, languageProcess })
    return {
      services: { languageProcess },
      operations: languageOperations({ guards, languages }),
      subscriptions: languageSubscriptions(jobs),
      jobs: createLanguageJobs({ database, languages, log }),
      tasks: languageTasks(jobs),
      close: () => languageProcess.close(),
    }
  },
})
