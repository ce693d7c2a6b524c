import { listOf, type Members, members, numberOf } from '../../../core/platform/json-members.ts'
import { inOrder } from '../imports/sources/in-order.ts'
import { lineOf, userOf } from '../imports/sources/read.ts'
import { bodyWithoutAddresses, type Difference, type RepoAt } from './repo-objects.ts'
import { digest } from './server-context.ts'

/** Issues that are compared side by side. */
const AT_ONCE = 4
const ABSENT = [403, 404]

interface Details {
  readonly reactions: string
  readonly reviews: string
}

/**
 * Compares reactions and reviews, whose changes no list and no time of an issue shows: at least one request for each
 * issue and comment.
 */
export async function compareDetails(
  source: RepoAt,
  copy: RepoAt,
): Promise<{ readonly compared: number; readonly differences: readonly Difference[] }> {
  const { api, path, signal } = source
  const differences: Difference[] = []
  let compared = 0
  for await (const page of api.pages(`/repos/${path}/issues?state=all`, signal, ABSENT)) {
    const found = await inOrder(page.map(members), { atOnce: AT_ONCE, signal }, async (issue) => {
      const both = await Promise.all([source, copy].map((repo) => detailsOf(repo, issue)))
      return { key: String(numberOf(issue['number'])), both: both as [Details, Details] }
    })
    for (const { key, both } of found)
      for (const kind of ['reactions', 'reviews'] as const) {
        compared++
        if (both[0][kind] !== both[1][kind]) differences.push({ kind, key, how: 'differs' })
      }
  }
  return { compared, differences }
}

async function detailsOf(repo: RepoAt, issue: Members): Promise<Details> {
  const number = numberOf(issue['number'])
  const { api, path, signal } = repo
  const list = async (of: string): Promise<Members[]> =>
    listOf(await api.find(`/repos/${path}/${of}`, signal, ABSENT)).map(members)
  const reactions = [await reactionsTo(list, String(number))]
  if (numberOf(issue['comments']) > 0)
    for (const comment of await list(`issues/${number}/comments`))
      reactions.push(await reactionsTo(list, `comments/${numberOf(comment['id'])}`))
  const reviews: unknown[] = []
  if (issue['pull_request'] !== undefined && issue['pull_request'] !== null)
    for await (const page of api.pages(`/repos/${path}/pulls/${number}/reviews`, signal, ABSENT))
      for (const review of page.map(members).filter(({ state }) => SUBMITTED.has(state)))
        reviews.push(await reviewOf(list, `pulls/${number}/reviews/${numberOf(review['id'])}`, review))
  return { reactions: digest(reactions), reviews: digest(reviews) }
}

const SUBMITTED = new Set<unknown>(['APPROVED', 'COMMENT', 'REQUEST_CHANGES'])

type List = (path: string) => Promise<readonly Members[]>

/** Omits who reacted: they may have other names here, or none. */
const reactionsTo = async (list: List, object: string): Promise<readonly string[]> =>
  (await list(`issues/${object}/reactions`))
    .map(({ content, created_at }) => `${lineOf(content)} ${lineOf(created_at)}`)
    .toSorted()

async function reviewOf(list: List, path: string, review: Members): Promise<unknown> {
  const { state, dismissed, submitted_at, body } = review
  const comments: unknown[] = []
  if (numberOf(review['comments_count']) > 0)
    for (const comment of await list(`${path}/comments`))
      comments.push([
        lineOf(comment['path']),
        bodyWithoutAddresses(comment['body']),
        comment['created_at'],
        comment['updated_at'],
        userOf(comment['resolver']).login !== 'Ghost',
        await reactionsTo(list, `comments/${numberOf(comment['id'])}`),
      ])
  return [state, dismissed === true, submitted_at, bodyWithoutAddresses(body), comments]
}
