import { Type } from '@sinclair/typebox'
import { defineJob, type JobDefinitions, type JobPayloadsOf } from '../../../core/jobs/index.ts'
import type { RepoFiles } from './deletion/repo-files.service.ts'

const repoJobPayloads = {
  /** Deletes the git data of a deleted repository. */
  'repo.remove': Type.Object({ storage: Type.String() }),
  /** Deletes repositories whose git data is missing. */
  'repos.delete_missing': Type.Object({}),
  /** Deletes git data that belongs to no repository. */
  'repos.sweep': Type.Object({}),
}

declare module '../../../core/jobs/catalog.ts' {
  interface JobCatalog extends JobPayloadsOf<typeof repoJobPayloads> {}
}

export function createRepoJobs({ repoFiles }: { readonly repoFiles: RepoFiles }): JobDefinitions {
  return {
    'repo.remove': defineJob(repoJobPayloads['repo.remove'], ({ storage }) => repoFiles.delete(storage)),
    'repos.delete_missing': defineJob(repoJobPayloads['repos.delete_missing'], (_, signal) =>
      repoFiles.deleteMissing(signal),
    ),
    'repos.sweep': defineJob(repoJobPayloads['repos.sweep'], (_, signal) => repoFiles.sweep(signal)),
  }
}
