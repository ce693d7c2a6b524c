import { type Static, Type } from '@sinclair/typebox'
import { ok } from '../../../../core/http/answer/answer.ts'
import { OneOf } from '../../../../core/http/answer/text.ts'
import { requireUser } from '../../../../core/http/guards/account.guards.ts'
import { Nullable } from '../../../../core/http/openapi/nullable.ts'
import { defineOperation, type Operation } from '../../../../core/http/operation.ts'
import type { Guards } from '../../../../core/module.ts'
import type { Merges } from '../merges.service.ts'
import type { MergePreview as Preview } from './preview-merge.ts'

const ConflictHunk = Type.Object(
  {
    line: Type.Integer({ description: 'Of the conflict in the merged file with its markers, from 1' }),
    ours: Type.String({ description: 'What the base has; at most 4,000 characters' }),
    theirs: Type.String({ description: 'What the head has; at most 4,000 characters' }),
  },
  { $id: 'MergeConflictHunk' },
)

const ConflictFile = Type.Object(
  {
    filename: Type.String(),
    hunks: Type.Array(ConflictHunk, { description: 'Empty where the conflict is not one of lines' }),
    truncated: Type.Boolean({ description: 'There are more hunks, or longer ones' }),
  },
  { $id: 'MergeConflictFile' },
)

const MergePreview = Type.Object(
  {
    style: Type.String(),
    base_sha: Type.String({ description: 'The tip of the base; empty where it is gone' }),
    head_sha: Type.String(),
    tree_sha: Nullable(Type.String({ description: 'The files after the merge; null where there would be no merge' })),
    title: Type.String({ description: 'The first line of the message; empty where the commits keep theirs' }),
    body: Type.String({ description: 'What follows the title, with the trailers' }),
    refusals: Type.Array(Type.String(), { description: 'Why it cannot be merged, the first reason first' }),
    conflicts_count: Type.Integer({ description: 'Files that conflict' }),
    conflicts: Type.Array(ConflictFile, { description: 'The first 50 of them' }),
    conflict_sha: Nullable(Type.String({ description: 'The commit that cannot be repeated on the base; of a rebase' })),
    conflict_messages: Type.String({ description: 'What git says about the conflicts' }),
  },
  { $id: 'MergePreview' },
)

interface PreviewOperationDeps {
  readonly guards: Pick<Guards, 'pull'>
  readonly merges: Pick<Merges, 'preview'>
}

/** Operations that preview a merge (behaviour/pull-requests#merge-preview). */
export const previewOperations = ({ guards, merges }: PreviewOperationDeps): Operation[] => [
  defineOperation({
    area: 'repository',
    scopes: ['repository'],
    id: 'repoPreviewPullRequestMerge',
    method: 'GET',
    path: '/repos/{owner}/{repo}/pulls/{index:int}/merge/preview',
    summary: 'What a merge of a pull request would do: files, message, conflicts, and why it would be refused',
    guard: guards.pull('read', { needsUser: true }),
    query: Type.Object({
      style: Type.Optional(OneOf('merge', 'squash', 'rebase', 'rebase-merge', 'fast-forward-only')),
    }),
    responses: { 200: MergePreview },
    errors: [401, 403, 404, 422, 429],
    handler: async ({ access, viewer, query }) =>
      ok(present(await merges.preview(requireUser(viewer), access, query.style || undefined))),
  }),
]

const present = ({ message, conflict, ...preview }: Preview): Static<typeof MergePreview> => ({
  style: preview.style,
  base_sha: preview.baseOid ?? '',
  head_sha: preview.headOid,
  tree_sha: preview.tree ?? null,
  title: message.title,
  body: message.body,
  refusals: [...preview.refusals],
  conflicts_count: conflict?.total ?? 0,
  conflicts: (conflict?.files ?? []).map(({ path, hunks, isCut }) => ({
    filename: path,
    hunks: hunks.map(({ line, ours, theirs }) => ({ line, ours, theirs })),
    truncated: isCut,
  })),
  conflict_sha: conflict?.commit ?? null,
  conflict_messages: conflict?.messages ?? '',
})
