import type { Core, Services } from '../../../../core/module.ts'
import { type Html, safeHtml } from '../../../../core/platform/html.ts'
import { NOTHING, when } from '../layout.ts'
import type { DiscussionDeps, EntryParts } from './discussion.ts'
import { reviewIdOf } from './entries.ts'

export interface PullPageDeps extends DiscussionDeps, Pick<Core, 'database'> {
  readonly pulls: Pick<Services['pulls'], 'getInView' | 'views'>
  readonly pullDiffs: Pick<Services['pullDiffs'], 'commits' | 'page'>
  readonly reviews: Pick<Services['reviews'], 'listByIds'>
  readonly reviewComments: Pick<Services['reviewComments'], 'listByEntries' | 'listPending'>
  readonly repos: Pick<Services['repos'], 'authorize'>
}

export type PullInView = Awaited<ReturnType<PullPageDeps['pulls']['getInView']>>

const VERDICTS: Readonly<Record<string, string>> = { approved: 'Approved.', rejected: 'Changes requested.' }

/** The verdicts of reviews, and the lines that their comments are about. */
export const reviewParts =
  (deps: Pick<PullPageDeps, 'reviews' | 'reviewComments'>, target: PullInView): EntryParts =>
  async (entries) => {
    const reviewed = entries.filter(({ entry }) => entry.kind === 'review')
    const [reviews, comments] = await Promise.all([
      deps.reviews.listByIds(reviewed.flatMap((item) => reviewIdOf(item) ?? [])),
      deps.reviewComments.listByEntries(
        target,
        entries.filter(({ entry }) => entry.kind === 'code').map(({ entry }) => entry.id),
      ),
    ])
    const reviewOf = new Map(reviews.map((review) => [review.id, review]))
    const verdicts = reviewed.map((item) => {
      const review = reviewOf.get(reviewIdOf(item)!)
      const verdict = review && VERDICTS[review.kind]
      return [
        item.entry.id,
        when(verdict, (text) => safeHtml`<p><strong>${text}</strong>${review?.isDismissed ? ' Dismissed.' : ''}</p>`),
      ] as const
    })
    return new Map<number, Html>([...verdicts, ...comments.map((view) => [view.entry.id, placePart(view)] as const)])
  }

type CommentView = Awaited<ReturnType<PullPageDeps['reviewComments']['listPending']>>[number]

/** The position of a comment of a review: file, lines, and the end of the hunk. */
export function placePart({ position, resolver }: CommentView): Html {
  const { path, line, startLine, diffHunk, isOutdated } = position
  const lines = startLine === line ? `line ${line}` : `lines ${startLine} to ${line}`
  return safeHtml`<p><code>${path}</code>, ${lines}${isOutdated ? ', outdated' : ''}${resolver === undefined ? NOTHING : safeHtml`, resolved by ${resolver.name}`}</p>
${when(diffHunk, (hunk) => safeHtml`<pre tabindex="0">${hunk}</pre>`)}`
}
