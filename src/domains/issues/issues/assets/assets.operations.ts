import { Type } from '@sinclair/typebox'
import type { SignedIn, Viewer } from '../../../../core/access/viewer.ts'
import { created, noContent, ok } from '../../../../core/http/answer/answer.ts'
import { Timestamp } from '../../../../core/http/answer/text.ts'
import { PATH_LENGTH, TIME_LENGTH } from '../../../../core/http/body/limits.ts'
import type { Sent } from '../../../../core/http/body/upload.ts'
import { requireUser } from '../../../../core/http/guards/account.guards.ts'
import { type Guard, nested } from '../../../../core/http/guards/guard.ts'
import { defineOperation, type Operation } from '../../../../core/http/operation.ts'
import { badRequest, invalidField, notFound } from '../../../../core/platform/errors.ts'
import { errors } from '../../../errors.ts'
import type { Site } from '../../../../core/platform/site.ts'
import { parseTimestamp } from '../../../../core/platform/timestamp.ts'
import {
  AttachmentModel as Attachment,
  type Attachment as AttachmentEntity,
  EditAttachmentOptions,
  type UploadRules,
  presentAttachment,
} from '../../../repositories/index.ts'
import type { Guards, Services } from '../../../../core/module.ts'
import type { EntryInView } from '../comments/comment.guards.ts'
import { isComment } from '../issue.policy.ts'
import type { CommentInView } from '../comments/comments.service.ts'
import type { IssueInView } from '../views.ts'
import type { AssetUpload, IssueAssets } from './assets.service.ts'

const ISSUES = '/repos/{owner}/{repo}/issues'

const uploadQuery = Type.Object({
  name: Type.Optional(Type.String({ maxLength: PATH_LENGTH, description: 'Name of the file; else that of the form' })),
  updated_at: Type.Optional(Timestamp({ description: 'For administrators of the repository' })),
})

interface AssetOperationDeps {
  readonly guards: Pick<Guards, 'comment' | 'issue'>
  readonly assets: IssueAssets
  readonly attachments: Pick<Services['attachments'], 'delete' | 'edit' | 'get' | 'listOf' | 'requireVisible'>
  readonly rules: UploadRules
  readonly site: Site
}

/** The difference between files of issues and files of comments. `Access` is the result of the guards. */
interface OwnerKind<Access extends object> {
  readonly path: `${typeof ISSUES}/{index:int}/assets` | `${typeof ISSUES}/comments/{id:int}/assets`
  /** A part of the operation ids. */
  readonly name: 'Issue' | 'IssueComment'
  readonly what: 'an issue' | 'a comment'
  readonly guards: Readonly<Record<'read' | 'write', Guard<Access>>>
  list(access: Access): Promise<AttachmentEntity[]>
  /** Throws NotFound. */
  read(viewer: Viewer, access: Access, id: number): Promise<AttachmentEntity>
  /** Finds the file for a change. */
  get(access: Access, id: number): Promise<AttachmentEntity>
  add(actor: SignedIn, access: Access, upload: AssetUpload): Promise<AttachmentEntity>
}

/** Files of issues and comments (behaviour/issues#attachments). */
export const assetOperations = (deps: AssetOperationDeps): Operation[] => [
  ...operationsFor(deps, issueKind(deps)),
  ...operationsFor(deps, commentKind(deps)),
]

function issueKind({ guards, assets, attachments }: AssetOperationDeps): OwnerKind<IssueInView> {
  const refusal = 'user should have permission to write issue'
  return {
    path: `${ISSUES}/{index:int}/assets`,
    name: 'Issue',
    what: 'an issue',
    guards: { read: guards.issue('read'), write: guards.issue('edit', { archived: 'refuse', refusal }) },
    list: ({ issue }) => attachments.listOf('issue', [issue.id]),
    // COMPAT: files of comments can also be read by the path of their issue (test/issues/assets.test.ts).
    async read(viewer, access, id) {
      const found = await attachments.get('issue', access.issue.id, id)
      await attachments.requireVisible(viewer, access, found)
      return found
    },
    async get({ issue }, id) {
      const found = await attachments.get('issue', issue.id, id)
      if (found.commentId !== 0) throw notFound('no such attachment in issue')
      return found
    },
    add: (actor, access, upload) => assets.addToIssue(actor, access, upload),
  }
}

function commentKind({ guards, assets, attachments }: AssetOperationDeps): OwnerKind<CommentInView> {
  return {
    path: `${ISSUES}/comments/{id:int}/assets`,
    name: 'IssueComment',
    what: 'a comment',
    guards: {
      read: ofComment(guards.comment('read')),
      write: ofComment(guards.comment('files', { archived: 'refuse' })),
    },
    list: ({ comment }) => attachments.listOf('comment', [comment.id]),
    read: (_, { comment }, id) => attachments.get('comment', comment.id, id),
    get: ({ comment }, id) => attachments.get('comment', comment.id, id),
    add: (actor, access, upload) => assets.addToComment(actor, access, upload),
  }
}

/** Events of the timeline have no files. */
const ofComment = (guard: Guard<EntryInView>): Guard<CommentInView> =>
  nested(guard, {
    resolve({ entry }) {
      if (!isComment(entry)) throw errors.commentNotFound()
      return { comment: entry }
    },
  })

function operationsFor<Access extends object>(deps: AssetOperationDeps, kind: OwnerKind<Access>): Operation[] {
  const enabled = <Found extends object>(guard: Guard<Found>): Guard<Found> =>
    nested(guard, {
      resolve() {
        if (!deps.rules.enabled) throw errors.attachmentsDisabled()
        return {}
      },
    })
  const guards = { read: enabled(kind.guards.read), write: enabled(kind.guards.write) }
  return [...readOperations(deps, { ...kind, guards }), ...writeOperations(deps, { ...kind, guards })]
}

const common = { area: 'issue', scopes: ['issue'] } as const

function readOperations<Access extends object>({ site }: AssetOperationDeps, kind: OwnerKind<Access>): Operation[] {
  const read = { ...common, guard: kind.guards.read, errors: [404] } as const
  return [
    defineOperation({
      ...read,
      id: `issueList${kind.name}Attachments`,
      method: 'GET',
      path: kind.path,
      summary: `The files of ${kind.what}, by name`,
      responses: { 200: Type.Array(Attachment) },
      handler: async ({ access }) => ok((await kind.list(access)).map((file) => presentAttachment(file, site))),
    }),
    defineOperation({
      ...read,
      id: `issueGet${kind.name}Attachment`,
      method: 'GET',
      path: `${kind.path}/{attachment_id:int}`,
      summary: `A file of ${kind.what}`,
      responses: { 200: Attachment },
      handler: async ({ viewer, access, params }) =>
        ok(presentAttachment(await kind.read(viewer, access, params.attachment_id), site)),
    }),
  ]
}

function writeOperations<Access extends object>(
  { attachments, rules, site }: AssetOperationDeps,
  kind: OwnerKind<Access>,
): Operation[] {
  const write = { ...common, guard: kind.guards.write } as const
  return [
    defineOperation({
      ...write,
      id: `issueCreate${kind.name}Attachment`,
      method: 'POST',
      path: kind.path,
      summary: 'Add a file: form field `attachment`',
      bodyKind: 'stream',
      checksDigest: true,
      query: uploadQuery,
      responses: { 201: Attachment },
      errors: [400, 401, 403, 404, 413, 422, 423],
      async handler({ access, viewer, query, upload }) {
        const actor = requireUser(viewer)
        const form = { field: 'attachment', maxBytes: rules.maxBytes, query: { name: query.name }, raw: false }
        const file = await upload(form, (sent) => kind.add(actor, access, readUpload(sent, query.updated_at)))
        return created(presentAttachment(file, site))
      },
    }),
    defineOperation({
      ...write,
      id: `issueEdit${kind.name}Attachment`,
      method: 'PATCH',
      path: `${kind.path}/{attachment_id:int}`,
      summary: 'Rename a file',
      body: EditAttachmentOptions,
      responses: { 201: Attachment },
      errors: [400, 401, 403, 404, 413, 422, 423],
      async handler({ access, params, body }) {
        const file = await kind.get(access, params.attachment_id)
        const edit = { name: body.name || undefined, externalUrl: body.browser_download_url || undefined }
        return created(presentAttachment(await attachments.edit(file, edit, rules), site))
      },
    }),
    defineOperation({
      ...write,
      id: `issueDelete${kind.name}Attachment`,
      method: 'DELETE',
      path: `${kind.path}/{attachment_id:int}`,
      summary: `Delete a file of ${kind.what}`,
      responses: { 204: null },
      errors: [401, 403, 404, 423],
      async handler({ access, params }) {
        await attachments.delete(await kind.get(access, params.attachment_id))
        return noContent()
      },
    }),
  ]
}

/**
 * The time in the query takes precedence over that of the form. Throws BadRequest for a link, Invalid for a bad time.
 */
function readUpload(sent: Sent, queryTime: string | undefined): AssetUpload {
  if (sent.kind === 'link') throw badRequest('the form has no file in its field attachment')
  const text = queryTime || sent.fields.get('updated_at')
  const updatedAt = text ? parseTimestamp(text.slice(0, TIME_LENGTH + 1)) : undefined
  if (text && updatedAt === undefined) throw invalidField('UpdatedAt', 'is not a time in RFC 3339')
  return { name: sent.name, source: sent.source, updatedAt }
}
