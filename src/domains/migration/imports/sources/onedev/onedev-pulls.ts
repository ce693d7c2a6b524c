import { members, type Members } from '../../../../../core/platform/json-members.ts'
import type { Pages, SourcePull, SourceReview, SourceItem } from '../../source.ts'
import { inOrder } from '../in-order.ts'
import { GHOST, issueNumberOf, lineOf, membersOf, parseTime, countOf } from '../read.ts'
import { AT_ONCE, idOf, listPulls, type Onedev } from './onedev.ts'
import { isMerge } from './onedev-events.ts'
import { readBasics } from './onedev-issues.ts'

const STYLES: ReadonlyMap<unknown, string> = new Map([
  ['CREATE_MERGE_COMMIT', 'merge'],
  ['CREATE_MERGE_COMMIT_IF_NECESSARY', 'merge'],
  ['SQUASH_SOURCE_BRANCH_COMMITS', 'squash'],
  ['REBASE_SOURCE_BRANCH_COMMITS', 'rebase'],
])
const REVIEWS: ReadonlyMap<unknown, SourceReview['kind']> = new Map([
  ['APPROVED', 'approved'],
  ['REQUESTED_FOR_CHANGES', 'rejected'],
])

export async function* readPulls(onedev: Onedev, after: number, signal: AbortSignal): Pages<SourcePull> {
  let names: ReadonlyMap<number, string> | undefined
  for await (const page of listPulls(onedev, after, signal)) {
    names ??= await labelNames(onedev, signal)
    const labels = names
    yield await inOrder(page, { atOnce: AT_ONCE, signal }, (pull, both) =>
      readPull(onedev, pull, { labels, signal: both }),
    )
  }
}

/** Names of labels of pull requests by the ids of their specifications. */
async function labelNames({ api }: Onedev, signal: AbortSignal): Promise<ReadonlyMap<number, string>> {
  const names = new Map<number, string>()
  for await (const page of api.pages('/label-specs', signal, [404])) {
    for (const { id, name } of page.map(members)) names.set(countOf(id), lineOf(name))
    if (names.size >= 10_000) break
  }
  return names
}

interface Context {
  readonly labels: ReadonlyMap<number, string>
  readonly signal: AbortSignal
}

async function readPull(onedev: Onedev, pull: Members, { labels, signal }: Context): Promise<SourcePull> {
  const { api, project, offset, location } = onedev
  const number = issueNumberOf(pull['number'])
  const path = `/pulls/${countOf(pull['id'])}`
  const list = async (name: string): Promise<readonly Members[]> => membersOf(await api.find(`${path}/${name}`, signal))
  const users = (items: readonly Members[]) =>
    inOrder(items, { atOnce: 1, signal }, ({ userId }, both) => onedev.user(userId, both))
  const update = (await list('updates')).toSorted((one, other) => countOf(one['id']) - countOf(other['id'])).at(-1)
  const reviews = await list('reviews')
  if (pull['codeCommentsUpdateDate'])
    location.warn(`comments on lines of pull request ${number + offset} were not imported: OneDev's API lacks them`)
  const basics = await readBasics(onedev, pull, { number: number + offset, signal })
  const isClosed = pull['status'] === 'MERGED' || pull['status'] === 'DISCARDED'
  return {
    ...basics,
    isClosed,
    closedAt: isClosed ? (parseTime(pull['closeDate']) ?? basics.updatedAt) : undefined,
    labels: (await list('labels')).flatMap(({ specId }) => labels.get(countOf(specId)) ?? []),
    milestone: undefined,
    assignees: await users(await list('assignments')),
    base: { branch: lineOf(pull['targetBranch']), oid: lineOf(update?.['targetHeadCommitHash']) },
    head: {
      branch: lineOf(pull['sourceBranch']),
      oid: lineOf(update?.['headCommitHash']),
      repo: undefined,
      isSameRepo: countOf(pull['sourceProjectId']) === project,
    },
    headRef: `refs/pulls/${number}/head`,
    mergeBase: lineOf(pull['baseCommitHash']),
    isDraft: false,
    allowsMaintainerEdit: false,
    merged:
      pull['status'] === 'MERGED'
        ? { at: parseTime(pull['closeDate']) ?? basics.updatedAt, ...(await mergeOf(onedev, pull, path, signal)) }
        : undefined,
    requestedReviewers: await users(reviews.filter(({ status }) => status === 'PENDING')),
  }
}

async function mergeOf(
  onedev: Onedev,
  pull: Members,
  path: string,
  signal: AbortSignal,
): Promise<Omit<NonNullable<SourcePull['merged']>, 'at'>> {
  const preview = members(await onedev.api.find(`${path}/merge-preview`, signal))
  const changes = membersOf(await onedev.api.find(`${path}/changes`, signal))
  const change = changes.findLast(isMerge)
  const by = await onedev.user(change?.['userId'], signal)
  return {
    oid: lineOf(preview['mergeCommitHash']),
    by: by === GHOST ? undefined : by,
    style: STYLES.get(preview['mergeStrategy'] ?? pull['mergeStrategy']) ?? '',
  }
}

export async function* readReviews(
  onedev: Onedev,
  { number }: Pick<SourceItem, 'number'>,
  signal: AbortSignal,
): Pages<SourceReview> {
  const id = await idOf(onedev, { number, isPull: true }, signal)
  const reviews = membersOf(await onedev.api.find(`/pulls/${id}/reviews`, signal))
  const given = reviews.flatMap((review) => {
    const kind = REVIEWS.get(review['status'])
    return kind === undefined ? [] : [{ review, kind }]
  })
  yield await inOrder(given, { atOnce: AT_ONCE, signal }, async ({ review, kind }, both) => ({
    id: countOf(review['id']),
    pull: number,
    author: await onedev.user(review['userId'], both),
    kind,
    isDismissed: false,
    isOfficial: true,
    body: '',
    commitOid: '',
    submittedAt: parseTime(review['statusDate']) ?? onedev.clock.now(),
    comments: [],
  }))
}
