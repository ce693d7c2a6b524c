import { Type } from '@sinclair/typebox'
import { defineJob, type JobDefinitions, type JobPayloadsOf } from '../../../core/jobs/index.ts'
import { asId } from '../../../core/platform/crypto/ids.ts'
import { type ResumeDeps, resumeApplied } from './apply-suggestions.ts'

const Id = Type.Integer()

const suggestionJobPayloads = {
  /** Resolves the comments of applied suggestions when the process ended before it recorded them. */
  'suggestions.recover': Type.Object({
    repo_id: Id,
    branch: Type.String(),
    oid: Type.String(),
    comment_ids: Type.Array(Id),
    user_id: Id,
  }),
}

declare module '../../../core/jobs/catalog.ts' {
  interface JobCatalog extends JobPayloadsOf<typeof suggestionJobPayloads> {}
}

export const suggestionJobs = (deps: ResumeDeps): JobDefinitions => ({
  'suggestions.recover': defineJob(
    suggestionJobPayloads['suggestions.recover'],
    ({ repo_id, branch, oid, comment_ids, user_id }) =>
      resumeApplied(deps, { repoId: asId(repo_id), branch, oid, commentIds: comment_ids, userId: asId(user_id) }),
    { group: 'pulls' },
  ),
})
