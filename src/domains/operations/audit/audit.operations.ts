import { Type } from '@sinclair/typebox'
import { listed } from '../../../core/http/answer/answer.ts'
import { siteAdmin } from '../../../core/http/guards/account.guards.ts'
import { pagingMembers } from '../../../core/http/openapi/paging-members.ts'
import { defineOperation, type Operation } from '../../../core/http/operation.ts'
import { AuditEntry } from './audit.model.ts'
import { presentAuditEntry } from './audit.present.ts'
import type { AuditLog } from './audit.service.ts'

const MAX_NAME = 255

const auditQuery = Type.Object({
  ...pagingMembers,
  actor: Type.Optional(Type.String({ maxLength: MAX_NAME, description: 'Only of the account that had this name' })),
  action: Type.Optional(
    Type.String({ maxLength: MAX_NAME, description: 'Only this action, such as token.created, or this area: token' }),
  ),
  target: Type.Optional(
    Type.String({ maxLength: MAX_NAME, description: 'Only on what had this name, such as alice or alice/project' }),
  ),
  since: Type.Optional(
    Type.String({ format: 'date-time', maxLength: MAX_NAME, description: 'Only from this time on' }),
  ),
  before: Type.Optional(
    Type.String({ format: 'date-time', maxLength: MAX_NAME, description: 'Only from before this time' }),
  ),
})

/** The audit log for site administrators (docs/operate/audit.md): an extension of the API. */
export function auditOperations({ auditLog }: { readonly auditLog: AuditLog }): Operation[] {
  return [
    defineOperation({
      id: 'adminListAuditEntries',
      method: 'GET',
      path: '/admin/audit',
      area: 'admin',
      summary: 'List the entries of the audit log, newest first',
      scopes: ['admin'],
      guard: siteAdmin,
      query: auditQuery,
      responses: { 200: Type.Array(AuditEntry) },
      errors: [403, 422],
      async handler({ query: { actor, action, target, since, before }, paging }) {
        const page = await auditLog.list(
          {
            actor: actor || undefined,
            action: action || undefined,
            target: target || undefined,
            since: time(since),
            before: time(before),
          },
          paging,
        )
        return listed(page, page.items.map(presentAuditEntry))
      },
    }),
  ]
}

const time = (text: string | undefined): number | undefined => (text ? Date.parse(text) : undefined)
