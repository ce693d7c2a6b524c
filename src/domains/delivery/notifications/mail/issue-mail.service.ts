import { safeHtml, Html } from '../../../../core/platform/html.ts'
import type { Core, Services } from '../../../../core/module.ts'
import { rateLimitKeyOf, ANONYMOUS } from '../../../../core/access/viewer.ts'
import type { Database, Tx } from '../../../../core/db/database.ts'
import { asId, type UserId } from '../../../../core/platform/crypto/ids.ts'
import { isDomainError } from '../../../../core/platform/errors.ts'
import { MailRefusedError, type MailServer, type Mail, type MailAddress } from '../../../../core/platform/mail/mail.ts'
import { type Issue, issueQueries, issuePresenters } from '../../../issues/index.ts'
import { type Repo, repoQueries } from '../../../repositories/index.ts'
import { type User, userQueries } from '../../../accounts/index.ts'
import { type IssueActivity, listFollowers } from '../threads/recipients.store.ts'
import { concernsUsers, type MailActivity } from './mail-activity.ts'
import { type Addressee, findCommentBody, listAddressees } from './mail-recipients.store.ts'
import type { UnsubscribeLinks } from './unsubscribe-links.ts'

/** The common content of all mails about one activity. */
interface MailContents {
  readonly activity: MailActivity
  readonly issue: Issue
  readonly repo: Repo
  /** The actor; undefined when the account was deleted. */
  readonly actor: User | undefined
  /** The text of the activity, as source and rendered; empty if there is none. */
  readonly text: string
  readonly html: string
  /** The page of the issue or comment. */
  readonly url: string
}

export interface MailSettings {
  readonly from: MailAddress
  readonly subjectPrefix: string
  /** The domain of the message ids. */
  readonly domain: string
}

const SENTENCES: Readonly<Record<MailActivity['kind'], string>> = {
  created: '',
  comment: '',
  closed: 'closed this.',
  ready: 'marked this as ready for review.',
  reopened: 'reopened this.',
  assigned: 'assigned this to you.',
  mentioned: 'mentioned you.',
  'review-requested': 'asked you for a review.',
}

/** One mail of a thread: the first one has the id to which all others refer. */
function composeMail(
  contents: MailContents,
  { user, unsubscribeUrl }: { readonly user: User; readonly unsubscribeUrl: string },
  { from, subjectPrefix, domain }: MailSettings,
): Mail {
  const { activity, issue, repo, actor, url } = contents
  const name = actor === undefined ? 'Ghost' : actor.fullName || actor.name
  const isFirst = activity.kind === 'created' || (activity.kind === 'mentioned' && activity.comment_id === 0)
  const title = `[${repo.fullName}] ${issue.title} (#${issue.number})`
  const sentence = SENTENCES[activity.kind] && `${actor?.name ?? 'Ghost'} ${SENTENCES[activity.kind]}`
  const thread = `issue/${issue.id}@${domain}`
  return {
    from: { name, address: from.address },
    to: { name: user.fullName || user.name, address: user.email },
    subject: `${subjectPrefix}${isFirst ? '' : 'Re: '}${title}`,
    text: [sentence, contents.text, `-- \n${url}\nUnsubscribe: ${unsubscribeUrl}`].filter(Boolean).join('\n\n'),
    html: safeHtml`${new Html(sentence && safeHtml`<p>${sentence}</p>`.text)}${new Html(contents.html)}
<hr><p><a href="${url}">${repo.fullName}#${issue.number}</a> · <a href="${unsubscribeUrl}">Unsubscribe</a></p>`.text,
    messageId: isFirst ? thread : `issue/${issue.id}/${messagePart(activity)}@${domain}`,
    references: isFirst ? [] : [thread],
    headers: {
      'List-ID': `${repo.fullName} <${repo.name}.${repo.owner.name}.${domain}>`,
      'List-Archive': `<${url}>`,
      'List-Unsubscribe': `<${unsubscribeUrl}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      'Auto-Submitted': 'auto-generated',
      Precedence: 'list',
    },
  }
}

/**
 * NOTE: a follower who is also mentioned in a comment gets two mails with the same id, which mail programs show once.
 */
const messagePart = ({ kind, comment_id: commentId, at }: MailActivity): string =>
  commentId === 0 ? `${kind}/${at}` : `comment/${commentId}`

interface MailBatch {
  readonly activity: MailActivity
  readonly user_ids: readonly number[]
  /** The number of earlier attempts. */
  readonly attempt: number
}

/** Recipients of one sending job, and of one job that enqueues such jobs. */
const BATCH = 25
const SPREAD = 200
const MAX_ATTEMPTS = 10
const FIRST_RETRY_MS = 60_000
const MAX_RETRY_MS = 4 * 3_600_000

interface IssueMailDeps extends Pick<Core, 'database' | 'jobs' | 'log' | 'site'> {
  readonly markup: Pick<Services['markup'], 'render'>
  readonly server: MailServer
  readonly links: UnsubscribeLinks
  readonly settings: Omit<MailSettings, 'domain'>
}

export type IssueMail = ReturnType<typeof createIssueMail>

/** Mail about issues (docs/operate/mail.md). Permissions and texts are read when a mail is sent. */
export function createIssueMail(deps: IssueMailDeps) {
  const { database, jobs } = deps
  const enqueue = async (tx: Tx, activity: MailActivity, userIds: readonly number[]): Promise<void> => {
    for (let from = 0; from < userIds.length; from += BATCH)
      await jobs.enqueue(tx, 'mail.send', { activity, user_ids: userIds.slice(from, from + BATCH), attempt: 0 })
  }
  return {
    /** Enqueues mail to the followers of the issue. */
    toFollowers: (tx: Tx, activity: MailActivity): Promise<void> =>
      jobs.enqueue(tx, 'mail.fan_out', { activity, after: 0 }),
    /** Enqueues mail to these users. */
    toUsers: enqueue,
    /** Enqueues the next batches of `toFollowers`. */
    async spread(activity: MailActivity, after: number): Promise<void> {
      const found = await loadActivity(database.read, activity)
      if (found === undefined) return
      const followers = await listFollowers(database.read, found, { after, limit: SPREAD })
      const userIds = followers.map(({ userId }) => userId)
      await database.transaction(async (tx) => {
        await enqueue(tx, activity, userIds)
        if (userIds.length === SPREAD) await jobs.enqueue(tx, 'mail.fan_out', { activity, after: userIds.at(-1)! })
      })
    },
    /** Sends one batch; enqueues mails with temporary failures again. */
    send: (batch: MailBatch, signal: AbortSignal): Promise<void> => sendBatch(deps, batch, signal),
  }
}

async function sendBatch(deps: IssueMailDeps, batch: MailBatch, signal: AbortSignal): Promise<void> {
  const { database, server, links, settings, site } = deps
  const { activity } = batch
  const found = await loadActivity(database.read, activity)
  const contents = found && (await loadContents(deps, found, activity))
  if (contents === undefined) return
  const target = { userIds: batch.user_ids.map((id) => asId<UserId>(id)), asFollowers: !concernsUsers(activity) }
  const addressees = (await listAddressees(database.read, found!, target)).filter((one) => wantsMail(one, activity))
  if (addressees.length === 0) return
  const late: number[] = []
  const domain = new URL(site.rootUrl()).hostname
  const connection = await server.connect()
  try {
    for (const { user } of addressees) {
      signal.throwIfAborted()
      const unsubscribeUrl = links.make({ userId: user.id, issueId: contents.issue.id })
      try {
        await connection.send(composeMail(contents, { user, unsubscribeUrl }, { ...settings, domain }), signal)
      } catch (error) {
        if (signal.aborted) throw error
        if (!(error instanceof MailRefusedError)) late.push(user.id)
        deps.log.warn({ err: error, user: user.id, issue: contents.issue.id }, 'failed to send mail')
      }
    }
  } finally {
    connection.close()
  }
  if (late.length > 0) await retry(deps, batch, late)
}

/** NOTE: does not fail the job, which would send the mail again to all recipients of the batch. */
async function retry({ database, jobs, log }: IssueMailDeps, batch: MailBatch, userIds: number[]): Promise<void> {
  const attempt = batch.attempt + 1
  if (attempt >= MAX_ATTEMPTS) return log.error({ users: userIds, activity: batch.activity }, 'giving up on mail')
  const delay = Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** batch.attempt)
  await database.transaction((tx) =>
    jobs.enqueue(tx, 'mail.send', { activity: batch.activity, user_ids: userIds, attempt }, { delay }),
  )
}

const wantsMail = ({ preferences: { emailNotifications = 'enabled' } }: Addressee, activity: MailActivity): boolean =>
  emailNotifications === 'enabled' || (emailNotifications === 'onmention' && concernsUsers(activity))

async function loadActivity(
  db: Database['read'],
  { issue_id, actor_id }: MailActivity,
): Promise<IssueActivity | undefined> {
  const issue = await issueQueries.findById(db, asId(issue_id))
  const repo = issue && (await repoQueries.findById(db, issue.repoId))
  return issue && repo && { issue, repo, actorId: asId(actor_id) }
}

/** Undefined when the comment was deleted. */
async function loadContents(
  { database, markup, site }: IssueMailDeps,
  { issue, repo, actorId }: IssueActivity,
  activity: MailActivity,
): Promise<MailContents | undefined> {
  const { comment_id: commentId, kind } = activity
  const ofIssue = kind === 'created' || kind === 'mentioned' ? issue.body : ''
  const text = commentId === 0 ? ofIssue : await findCommentBody(database.read, commentId)
  if (text === undefined) return undefined
  const { html: page } = issuePresenters.urls(issue, repo, site)
  const context = `/${repo.fullName}`
  const request = { text, mode: 'comment', context, viewer: ANONYMOUS, rateLimitKey: MAIL_KEY, picturesAsLinks: true }
  const html = await markup.render(request).catch((error: unknown) => {
    if (!isDomainError(error, 'invalid')) throw error
    return safeHtml`<pre>${text}</pre>`.text
  })
  const actor = await userQueries.findById(database.read, actorId)
  return { activity, issue, repo, actor, text, html, url: commentId === 0 ? page : `${page}#issuecomment-${commentId}` }
}

/** Rendering for mail is scheduled as a requester of its own. */
const MAIL_KEY = rateLimitKeyOf(ANONYMOUS, 'mail')
