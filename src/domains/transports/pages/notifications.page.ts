import type { Services } from '../../../core/module.ts'
import { type Html, safeHtml } from '../../../core/platform/html.ts'
import { errors } from '../../errors.ts'
import { list, pager, type PageMaker, repoPath, timeOf, type PageContext } from './layout.ts'

interface NotificationPageDeps {
  readonly threads: Pick<Services['threads'], 'list'>
}

type ThreadView = Awaited<ReturnType<NotificationPageDeps['threads']['list']>>['items'][number]

const ROWS = 50

/** `/notifications`: those of the viewer that are unread or pinned, the latest first. */
export const notificationsPage =
  ({ threads }: NotificationPageDeps): PageMaker =>
  async (context) => {
    const { viewer } = context
    if (viewer.kind === 'anonymous') throw errors.pageNotFound()
    const paging = context.paging(ROWS)
    const { items, total } = await threads.list(viewer, { statuses: ['unread', 'pinned'] }, paging)
    return {
      title: 'Notifications',
      body: safeHtml`<h1>Notifications</h1>
${list(items, (view) => threadLine(context, view), 'Nothing is unread.')}
${pager(paging, total)}`,
    }
  }

function threadLine(context: PageContext, { thread, subject }: ThreadView): Html {
  const about = safeHtml`<small>${thread.status}, ${timeOf(thread.updatedAt)}</small>`
  if (subject.kind === 'hidden') return safeHtml`A subject that you may no longer read <br>${about}`
  const { repo } = subject
  if (subject.kind === 'repository')
    return safeHtml`<a href="${repoPath(context, repo)}">${repo.fullName}</a><br>${about}`
  const { issue, commentId } = subject
  const path = repoPath(context, repo, `${issue.isPull ? 'pulls' : 'issues'}/${issue.number}`)
  return safeHtml`<a href="${path}${commentId === undefined ? '' : `#issuecomment-${commentId}`}">${issue.title}</a>
<br><small>${repo.fullName}#${issue.number},</small> ${about}`
}
