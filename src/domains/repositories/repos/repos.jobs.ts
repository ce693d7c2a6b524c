import { Type } from '@sinclair/typebox'
import { defineJob, type JobDefinitions, type JobPayloadsOf } from '../../../core/jobs/index.ts'
import { CredentialRestriction } from '../../../core/access/authorize.ts'
import type { OrgRepos } from './deletion/delete-org-repos.ts'
import type { RepoFiles } from './deletion/repo-files.service.ts'

const repoJobPayloads = {
  /** Deletes the git data of a deleted repository. */
  'repo.remove': Type.Object({ storage: Type.String() }),
  /** Deletes the repositories of an organization. */
  'repos.delete_of_org': Type.Object({
    org_id: Type.Integer(),
    actor_id: Type.Integer(),
    restriction: Type.Optional(CredentialRestriction),
    last_repo_id: Type.Integer(),
  }),
  /** Deletes repositories whose git data is missing. */
  'repos.delete_missing': Type.Object({}),
  /** Deletes git data that belongs to no repository. */
  'repos.sweep': Type.Object({}),
}

declare module '../../../core/jobs/catalog.ts' {
  interface JobCatalog extends JobPayloadsOf<typeof repoJobPayloads> {}
}

interface RepoJobDeps {
  readonly orgRepos: OrgRepos
  readonly repoFiles: RepoFiles
}

export function createRepoJobs({ orgRepos, repoFiles }: RepoJobDeps): JobDefinitions {
  return {
    'repo.remove': defineJob(repoJobPayloads['repo.remove'], ({ storage }) => repoFiles.delete(storage)),
    'repos.delete_of_org': defineJob(repoJobPayloads['repos.delete_of_org'], (deletion, signal) =>
      orgRepos.delete(deletion, signal),
    ),
    'repos.delete_missing': defineJob(repoJobPayloads['repos.delete_missing'], (_, signal) =>
      repoFiles.deleteMissing(signal),
    ),
    'repos.sweep': defineJob(repoJobPayloads['repos.sweep'], (_, signal) => repoFiles.sweep(signal)),
  }
}
