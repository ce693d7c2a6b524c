import type { Core } from '../../../core/module.ts'
import { Type } from '@sinclair/typebox'
import {
  defineJob,
  type JobDefinitions,
  type JobPayloadsOf,
  type Jobs,
  type ScheduledTask,
} from '../../../core/jobs/index.ts'
import { asId } from '../../../core/platform/crypto/ids.ts'
import { repoQueries } from '../../repositories/index.ts'
import type { Languages } from './languages.service.ts'

const languageJobPayloads = {
  /** Counts the languages of a repository's default branch. */
  'repo.languages': Type.Object({ repo_id: Type.Integer() }),
  /** Detects the licences of every repository again. */
  'repos.relicense': Type.Object({}),
}

declare module '../../../core/jobs/catalog.ts' {
  interface JobCatalog extends JobPayloadsOf<typeof languageJobPayloads> {}
}

interface LanguageJobDeps extends Pick<Core, 'database' | 'log'> {
  readonly languages: Languages
}

export function createLanguageJobs({ database, languages, log }: LanguageJobDeps): JobDefinitions {
  return {
    'repo.languages': defineJob(languageJobPayloads['repo.languages'], ({ repo_id }, signal) =>
      languages.refresh(asId(repo_id), signal),
    ),
    'repos.relicense': defineJob(languageJobPayloads['repos.relicense'], (_, signal) =>
      repoQueries.forEach({ database, log, signal, failure: 'licences not detected' }, (id) =>
        languages.refreshLicenses(id),
      ),
    ),
  }
}

export const languageTasks = (jobs: Jobs): ScheduledTask[] => [
  {
    name: 'sync_repo_licenses',
    schedule: '0 0 * * *',
    isOff: true,
    start: (tx) => jobs.enqueue(tx, 'repos.relicense', {}, { key: 'all' }),
  },
]
