import type { Projections } from '../../../../core/events/index.ts'
import type { Core } from '../../../../core/module.ts'
import type { IssueNotices } from '../../../issues/index.ts'
import type { Markup } from '../../../repositories/index.ts'
import type { LeavesDraft } from '../threads/leaves-draft.ts'
import { createIssueMail, type IssueMail } from './issue-mail.service.ts'
import { configuredMail } from './mail-server.ts'
import { activityOfNotice, mailProjections } from './mail.projection.ts'
import type { UnsubscribeLinks } from './unsubscribe-links.ts'

interface MailDeps {
  readonly markup: Pick<Markup, 'render'>
  readonly links: UnsubscribeLinks
  readonly notices: IssueNotices
  readonly leavesDraft: LeavesDraft
}

/** Mail, if the configuration has it on: the service and what enqueues mail. */
export function createMail(
  { config, database, clock, jobs, log, site }: Core,
  { markup, links, notices, leavesDraft }: MailDeps,
): { readonly mail: IssueMail | undefined; readonly projections: Projections } {
  const configured = configuredMail(config)
  if (configured === undefined) return { mail: undefined, projections: {} }
  const { server, ...settings } = configured
  const mail = createIssueMail({ database, jobs, log, site, markup, server, links, settings })
  notices.register((tx, notice) => mail.toUsers(tx, activityOfNotice(notice, clock.now()), notice.userIds))
  return { mail, projections: mailProjections({ mail, clock, leavesDraft }) }
}
