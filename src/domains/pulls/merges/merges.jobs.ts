import { Type } from '@sinclair/typebox'
import { CredentialRestriction } from '../../../core/access/authorize.ts'
import { defineJob, type JobDefinitions, type JobPayloadsOf } from '../../../core/jobs/index.ts'
import { asId } from '../../../core/platform/crypto/ids.ts'
import type { MergesDeps } from './merges.service.ts'
import { detectMerges } from './manual-merges.ts'
import { followUp, resumeInterrupted } from './merge-steps.ts'
import { tryScheduled } from './schedules/scheduled-merge.ts'

const Id = Type.Integer()

const mergeJobPayloads = {
  /** Records pull requests that a push to their base merged. */
  'merges.detect': Type.Object({ repo_id: Id }),
  /** Deletes the head branch and closes the issues of a merged pull request. */
  'merges.follow_up': Type.Object({
    pull_id: Id,
    issue_id: Id,
    deletes_branch: Type.Boolean(),
    restriction: Type.Optional(CredentialRestriction),
  }),
  /** Resumes a merge whose process ended. */
  'merges.recover': Type.Object({ pull_id: Id, repo_id: Id, oid: Type.String() }),
  /** Merges a scheduled pull request if that is allowed now. */
  'merges.try_scheduled': Type.Object({ pull_id: Id }),
}

declare module '../../../core/jobs/catalog.ts' {
  interface JobCatalog extends JobPayloadsOf<typeof mergeJobPayloads> {}
}

export const mergeJobs = (deps: MergesDeps): JobDefinitions => ({
  'merges.detect': defineJob(
    mergeJobPayloads['merges.detect'],
    ({ repo_id }, signal) => detectMerges(deps, asId(repo_id), signal),
    { group: 'pulls' },
  ),
  'merges.follow_up': defineJob(mergeJobPayloads['merges.follow_up'], ({ issue_id, deletes_branch, restriction }) =>
    followUp(deps, { issueId: asId(issue_id), deletesBranch: deletes_branch, restriction }),
  ),
  'merges.recover': defineJob(
    mergeJobPayloads['merges.recover'],
    ({ pull_id, repo_id, oid }) => resumeInterrupted(deps, { pullId: asId(pull_id), repoId: asId(repo_id), oid }),
    { group: 'pulls' },
  ),
  'merges.try_scheduled': defineJob(
    mergeJobPayloads['merges.try_scheduled'],
    ({ pull_id }) => tryScheduled(deps, asId(pull_id)),
    { group: 'pulls' },
  ),
})
