import { listOf, members, type Members } from '../../../../../core/platform/json-members.ts'
import type { Pages, SourcePull, SourceReview, SourceReviewComment } from '../../source.ts'
import { inOrder } from '../in-order.ts'
import { oldestFirst } from '../oldest-first.ts'
import {
  bodyOf,
  GHOST,
  isTrue,
  issueNumberOf,
  lineOf,
  membersOf,
  parseTime,
  present,
  timesOf,
  userOf,
  usersOf,
  countOf,
} from '../read.ts'
import { type Gitlab, LACKING } from './gitlab.ts'
import { AT_ONCE, type ReadOptions, mayRead, reactionsTo, readBasics } from './gitlab-issues.ts'

export async function* readPulls(gitlab: Gitlab, after: number, signal: AbortSignal): Pages<SourcePull> {
  const { api, project, offset } = gitlab
  const path = `${project}/merge_requests?scope=all&state=all&order_by=created_at&sort=asc`
  const list = { path, key: 'iid', after: Math.max(0, after - offset), absent: LACKING } as const
  for await (const page of oldestFirst(api, list, signal))
    yield present(
      await inOrder(page.map(members), { atOnce: AT_ONCE, signal }, async (item, both) => {
        const iid = issueNumberOf(item['iid'])
        if (iid === 0) return undefined
        const merge = `merge_requests/${iid}`
        // Only the single merge request has the commits that its diff is between.
        const pull = { ...item, ...members(await api.find(`${project}/${merge}`, both)) }
        return readPull(gitlab, pull, { iid, reactions: await reactionsTo(gitlab, merge, both) })
      }),
    )
}

function readPull(
  gitlab: Gitlab,
  pull: Members,
  { iid, reactions }: { readonly iid: number } & Pick<SourcePull, 'reactions'>,
): SourcePull {
  const basics = readBasics(gitlab, pull)
  const refs = members(pull['diff_refs'])
  const isSameRepo = countOf(pull['source_project_id']) === countOf(pull['target_project_id'])
  const mergedAt = parseTime(pull['merged_at'])
  return {
    ...basics,
    number: iid + gitlab.offset,
    reactions,
    closedAt: basics.closedAt ?? mergedAt,
    base: { branch: lineOf(pull['target_branch']), oid: lineOf(refs['start_sha']) },
    head: { branch: lineOf(pull['source_branch']), oid: lineOf(pull['sha']), repo: undefined, isSameRepo },
    headRef: `refs/merge-requests/${iid}/head`,
    mergeBase: lineOf(refs['base_sha']),
    isDraft: isTrue(pull['draft'] ?? pull['work_in_progress']),
    allowsMaintainerEdit: isTrue(pull['allow_collaboration']),
    merged:
      pull['state'] === 'merged'
        ? { at: mergedAt ?? basics.closedAt ?? basics.updatedAt, ...mergeOf(pull) }
        : undefined,
    requestedReviewers: usersOf(pull['reviewers'], 'username'),
  }
}

/** A fast-forward merge makes no commit. */
function mergeOf(pull: Members): Omit<NonNullable<SourcePull['merged']>, 'at'> {
  const [merge, squash] = [lineOf(pull['merge_commit_sha']), lineOf(pull['squash_commit_sha'])]
  const by = userOf(pull['merge_user'] ?? pull['merged_by'], 'username')
  return {
    oid: merge || squash || lineOf(pull['sha']),
    by: by === GHOST ? undefined : by,
    style: merge !== '' ? 'merge' : squash !== '' ? 'squash' : 'fast-forward-only',
  }
}

const APPROVED = /^approved this merge request\b/

/** A thread about lines of the diff is a review, and so is an approval, whose time older versions record in a note. */
export async function* readReviews(
  gitlab: Gitlab,
  number: number,
  options: ReadOptions,
  signal: AbortSignal,
): Pages<SourceReview> {
  const { api, project, offset, clock } = gitlab
  const merge = `merge_requests/${number - offset}`
  const approvals = members(await api.find(`${project}/${merge}/approvals`, signal, LACKING))
  const approvers = membersOf(approvals['approved_by']).map(({ user, approved_at: at }) => ({
    author: userOf(user, 'username'),
    at: parseTime(at),
  }))
  const times = new Map<string, number>()
  for await (const page of api.pages(`${project}/${merge}/discussions`, signal, LACKING)) {
    const threads = page.map((thread) => listOf(members(thread)['notes']).slice(0, MAX_THREAD).map(members))
    for (const note of threads.flat())
      if (isTrue(note['system']) && APPROVED.test(lineOf(note['body'])))
        times.set(userOf(note['author'], 'username').login, parseTime(note['created_at']) ?? clock.now())
    const lines = threads
      .map((notes) => notes.filter((note) => mayRead(note, options, `${merge}/notes/${countOf(note['id'])}`)))
      .filter(([note]) => note !== undefined && note['type'] === 'DiffNote')
    yield await inOrder(lines, { atOnce: 1, signal }, (thread, both) =>
      readThread(gitlab, { number, merge, thread }, both),
    )
  }
  if (approvers.length > 0)
    yield approvers.map(({ author, at }) => ({
      ...review(number, { id: author.id, author, at: at ?? times.get(author.login) ?? clock.now() }),
      kind: 'approved',
      isOfficial: true,
    }))
}

const MAX_THREAD = 1_000

const review = (
  pull: number,
  { id, author, at }: { readonly id: number; readonly author: SourceReview['author']; readonly at: number },
): SourceReview => ({
  id,
  pull,
  author,
  kind: 'comment',
  isDismissed: false,
  isOfficial: false,
  body: '',
  commitOid: '',
  submittedAt: at,
  comments: [],
})

interface Thread {
  readonly number: number
  readonly merge: string
  readonly thread: readonly Members[]
}

async function readThread(
  gitlab: Gitlab,
  { number, merge, thread }: Thread,
  signal: AbortSignal,
): Promise<SourceReview> {
  const first = countOf(thread[0]!['id'])
  const notes = thread.filter((note) => !isTrue(note['system']))
  const comments = await inOrder(notes, { atOnce: AT_ONCE, signal }, async (note, both) => ({
    ...readNote(note, { first, place: members(thread[0]!['position']), now: gitlab.clock.now() }),
    reactions: await reactionsTo(gitlab, `${merge}/notes/${countOf(note['id'])}`, both),
  }))
  const { author, createdAt, commitOid } = comments[0] ?? {
    author: GHOST,
    createdAt: gitlab.clock.now(),
    commitOid: '',
  }
  return { ...review(number, { id: first, author, at: createdAt }), commitOid, comments }
}

function readNote(
  note: Members,
  { first, place, now }: { readonly first: number; readonly place: Members; readonly now: number },
): SourceReviewComment {
  const side = countOf(place['new_line']) === 0 && countOf(place['old_line']) > 0 ? 'old' : 'new'
  const line = Math.max(1, countOf(place[side === 'old' ? 'old_line' : 'new_line']))
  const start = members(members(place['line_range'])['start'])
  const startLine = countOf(start[side === 'old' ? 'old_line' : 'new_line'])
  const id = countOf(note['id'])
  const resolver = userOf(note['resolved_by'], 'username')
  return {
    ...timesOf(note, now),
    id,
    author: userOf(note['author'], 'username'),
    body: bodyOf(note['body']),
    path: lineOf(place[side === 'old' ? 'old_path' : 'new_path']),
    side,
    line,
    startLine: startLine > 0 && startLine < line ? startLine : line,
    commitOid: lineOf(place['head_sha']),
    diffHunk: '',
    isOutdated: false,
    replyTo: id === first ? undefined : first,
    resolvedBy: isTrue(note['resolved']) && resolver !== GHOST ? resolver : undefined,
    reactions: [],
    assets: [],
  }
}
