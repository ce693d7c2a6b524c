import { type Html, safeHtml } from '../../../../core/platform/html.ts'
import { list, NOTHING, pager, repoPath, type PageContext } from '../layout.ts'
import { diffPart } from '../diff.ts'
import { textPart } from './discussion.ts'
import { placePart, type PullInView, type PullPageDeps } from './reviews.ts'

const FILES = 50
const MAX_PENDING = 100

/** The changed files with their differences, after the comments that the viewer has not submitted. */
export async function filesPart(deps: PullPageDeps, context: PageContext, target: PullInView): Promise<Html> {
  const { repo, pull } = target
  const paging = context.paging(FILES)
  const { files, total, patch, isCut } = await deps.pullDiffs.page(repo, pull, paging)
  const rows = list(
    files,
    ({ path, previousPath, status, additions, deletions }) => {
      const name = safeHtml`${path}`
      const link = safeHtml`<a href="${repoPath(context, repo, 'src/commit', pull.headOid, path)}">${name}</a>`
      const from = previousPath === undefined ? '' : ` from ${previousPath}`
      return safeHtml`${status === 'deleted' ? name : link} <small>${status}${from}, +${additions} -${deletions}</small>`
    },
    'No files.',
  )
  return safeHtml`${await pendingPart(deps, context, target)}
<h2>Files changed: ${total}</h2>
${rows}
${diffPart(patch)}
${isCut ? safeHtml`<p class="note">The rest is in the <a href="${repoPath(context, repo, `pulls/${target.issue.number}.diff`)}">diff</a>.</p>` : NOTHING}
${pager(paging, total)}`
}

async function pendingPart(
  { reviewComments, texts }: PullPageDeps,
  { viewer, requester }: PageContext,
  target: PullInView,
): Promise<Html> {
  const views = await reviewComments.listPending(viewer, target, MAX_PENDING)
  if (views.length === 0) return NOTHING
  const place = { context: `/${target.repo.fullName}`, requester }
  const rendered = await texts.renderComments(
    views.map(({ entry }) => entry.body),
    place,
  )
  return safeHtml`<h2>Your comments that are not submitted</h2>
${views.map(
  (
    view,
    index,
  ) => safeHtml`<article id="issuecomment-${view.entry.id}">${placePart(view)}${textPart(view.entry.body, rendered[index])}</article>
`,
)}`
}
