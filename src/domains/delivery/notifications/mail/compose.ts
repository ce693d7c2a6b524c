import type { Mail, MailAddress } from '../../../../core/platform/mail/mail.ts'
import type { Issue } from '../../../issues/index.ts'
import type { Repo } from '../../../repositories/index.ts'
import { Html, type User, safeHtml } from '../../../accounts/index.ts'
import type { MailActivity } from './mail-activity.ts'

/** What all mails about one activity share. */
export interface MailContents {
  readonly activity: MailActivity
  readonly issue: Issue
  readonly repo: Repo
  /** Who did it; undefined when the account was deleted. */
  readonly actor: User | undefined
  /** The text that was written, as it was written and rendered; empty for none. */
  readonly text: string
  readonly html: string
  /** The page of the issue or comment. */
  readonly url: string
}

export interface MailSettings {
  readonly from: MailAddress
  readonly subjectPrefix: string
  /** Domain of the ids. */
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

/** One mail of a thread: the first one has the id that all others refer to. */
export function composeMail(
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

/** NOTE: who follows an issue and is mentioned in a comment gets two mails of one id, which mail programs show once. */
const messagePart = ({ kind, comment_id: commentId, at }: MailActivity): string =>
  commentId === 0 ? `${kind}/${at}` : `comment/${commentId}`
