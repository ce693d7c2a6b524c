import { Type } from '@sinclair/typebox'
import { type ApiResponse, created, noContent, ok } from '../../../core/http/answer/answer.ts'
import { OneOf } from '../../../core/http/answer/text.ts'
import { requireUser } from '../../../core/http/guards/account.guards.ts'
import { defineOperation, type Operation } from '../../../core/http/operation.ts'
import { engineErrors, invalidField, notFound } from '../../../core/platform/errors.ts'
import type { Guards } from '../../../core/module.ts'
import { MergePullRequestOption, MergeResult, UpdatedHead } from './merge.model.ts'
import type { MergeRequest } from './merge-request.ts'
import type { Merges } from './merges.service.ts'

const PATH = '/repos/{owner}/{repo}/pulls/{index:int}/merge'
const common = { area: 'repository', scopes: ['repository'], path: PATH } as const

interface MergeOperationDeps {
  readonly guards: Pick<Guards, 'pull'>
  readonly merges: Merges
}

/**
 * Merging pull requests (behaviour/pull-requests#merging), and bringing a head up to date with its base
 * (behaviour/pull-requests#diff-commits-files-update).
 */
export function mergeOperations({ guards, merges }: MergeOperationDeps): Operation[] {
  return [
    defineOperation({
      ...common,
      id: 'repoPullRequestIsMerged',
      method: 'GET',
      summary: 'Whether a pull request was merged',
      guard: guards.pull('read'),
      responses: { 204: null },
      errors: [404],
      async handler({ access }) {
        if (access.pull.merge === undefined) throw notFound('the pull request is not merged')
        return noContent()
      },
    }),
    defineOperation({
      ...common,
      id: 'repoMergePullRequest',
      method: 'POST',
      summary: 'Merge a pull request, schedule it to be merged, or put it into the merge queue of its base',
      guard: guards.pull('read', { needsUser: true, archived: 'refuse' }),
      body: MergePullRequestOption,
      responses: { 200: MergeResult, 201: MergeResult },
      errors: [401, 403, 404, 409, 413, 422, 423],
      async handler({ access, viewer, body }) {
        const request = readRequest(body)
        if (body.queue === true) {
          await merges.enqueue(requireUser(viewer), access, request)
          return pending('Put into the merge queue')
        }
        if (body.merge_when_checks_succeed === true) {
          await merges.schedule(requireUser(viewer), access, request)
          return pending('Scheduled to merge when its checks succeed')
        }
        const { oid, baseBranch } = await merges.merge(requireUser(viewer), access, request)
        return ok({ merged: true, sha: oid, message: `Merged into ${baseBranch}` })
      },
    }),
    defineOperation({
      ...common,
      id: 'repoCancelScheduledAutoMerge',
      method: 'DELETE',
      summary: 'Cancel the scheduled or queued merge of a pull request',
      guard: guards.pull('read', { needsUser: true, archived: 'refuse' }),
      responses: { 204: null },
      errors: [401, 403, 404, 409, 423],
      async handler({ access, viewer }) {
        await merges.cancel(requireUser(viewer), access)
        return noContent()
      },
    }),
    defineOperation({
      area: 'repository',
      scopes: ['repository'],
      id: 'repoUpdatePullRequest',
      method: 'POST',
      path: '/repos/{owner}/{repo}/pulls/{index:int}/update',
      summary: 'Bring the head of a pull request up to date with its base',
      guard: guards.pull('read', { needsUser: true }),
      query: Type.Object({ style: Type.Optional(OneOf('merge', 'rebase')) }),
      responses: { 200: UpdatedHead },
      errors: [401, 403, 404, 409, 413, 422],
      async handler({ access, viewer, query }) {
        const sha = await merges.update(requireUser(viewer), access, query.style)
        return ok({ sha, message: `Brought up to date with ${access.pull.baseBranch}` })
      },
    }),
  ]
}

const pending = (message: string): ApiResponse => created({ merged: false, sha: '', message })

function readRequest(body: MergePullRequestOption): MergeRequest {
  const action = body.do || body.Do
  if (!action) throw engineErrors.fieldRequired('Do')
  if (body.queue === true && (body.force_merge === true || body.merge_when_checks_succeed === true))
    throw invalidField('queue', 'Excludes force_merge and merge_when_checks_succeed')
  return {
    action,
    title: body.merge_title_field ?? body.MergeTitleField ?? '',
    message: body.merge_message_field ?? body.MergeMessageField ?? '',
    headOid: body.head_commit_id ?? '',
    mergedOid: body.merge_commit_id ?? body.MergeCommitID ?? '',
    isForced: body.force_merge ?? false,
    deletesBranch: body.delete_branch_after_merge,
  }
}
