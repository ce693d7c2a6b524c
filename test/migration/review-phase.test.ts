import { expect, it } from 'vitest'
import { pullsPhase } from '../../src/domains/migration/imports/phases/pulls.phase.ts'
import { reviewsPhase } from '../../src/domains/migration/imports/phases/reviews.phase.ts'
import type { SourcePull, SourceReview } from '../../src/domains/migration/imports/source.ts'
import type { Any } from '../harness/client.ts'
import { describeOnBoth } from '../harness/databases.ts'
import { commitFile } from '../pulls/pull-world.ts'
import {
  beginImport,
  NOBODY,
  pagesOf,
  phaseDeps,
  phaseWorld,
  type PhaseRun,
  sourceUser,
  sourceWith,
} from './phase-world.ts'
import { commentOf, createPulls, fork, type PullCommits, pullOf, reviewOf } from './pull-sources.ts'

const MISSING = 'e'.repeat(40)
const rob = sourceUser('rob', 10)

describeOnBoth('the phase of reviews', (kind) => {
  const given = phaseWorld(kind)
  const get = async (path: string): Promise<Any> => (await given.ann.client.get(`/repos/ann/${path}`)).json
  const reviewsOf = (name: string): Promise<Any[]> => get(`${name}/pulls/1/reviews`)
  const commentsOf = (name: string, review: Any): Promise<Any[]> => get(`${name}/pulls/1/reviews/${review.id}/comments`)

  interface Imported extends PhaseRun {
    readonly commits: PullCommits
    runReviews(options?: { readonly from?: string; readonly steps?: number }): Promise<void>
  }

  /** Imports pull request 1, whose reviews are those of `rob` mapped to bob. */
  async function begin(
    name: string,
    reviews: (commits: PullCommits) => readonly SourceReview[],
    pull: Partial<SourcePull> = {},
  ): Promise<Imported> {
    const commits = await createPulls(given.upstream, name)
    const items = reviews(commits)
    const source = sourceWith({
      pulls: () => pagesOf([pullOf(1, pull)]),
      reviews: ({ number }) => pagesOf(items.filter((review) => review.pull === number)),
    })
    const run = await beginImport(given, { source, name, mapped: { rob: given.bob } })
    await run.run(pullsPhase(phaseDeps(given)))
    return { ...run, commits, runReviews: (options) => run.run(reviewsPhase(phaseDeps(given)), options) }
  }

  it('imports reviews with their comments, positions, hunks, replies, reactions and authors', async () => {
    const run = await begin('full', ({ feature }) => [
      reviewOf(1, 1, { kind: 'rejected', commitOid: feature, isDismissed: true }),
      reviewOf(2, 1, {
        author: rob,
        kind: 'approved',
        isOfficial: true,
        body: '',
        commitOid: feature,
        comments: [
          commentOf(11, {
            commitOid: feature,
            diffHunk: '@@ -0,0 +1 @@\n+f.txt',
            resolvedBy: rob,
            reactions: [{ user: NOBODY, content: '+1', createdAt: undefined }],
          }),
          commentOf(12, { commitOid: feature, replyTo: 11, author: rob }),
        ],
      }),
    ])
    await run.runReviews()
    expect(run.warnings).toEqual([])
    const [rejected, approved] = await reviewsOf('full')
    expect(rejected).toMatchObject({
      state: 'REQUEST_CHANGES',
      body: 'Review 1',
      user: { login: 'ann' },
      commit_id: run.commits.feature,
      dismissed: true,
      official: false,
      stale: false,
      submitted_at: '2020-01-02T00:00:00Z',
    })
    expect(approved).toMatchObject({ state: 'APPROVED', user: { login: 'bob' }, official: true, comments_count: 2 })
    const [comment, reply] = await commentsOf('full', approved)
    expect(comment).toMatchObject({
      body: 'Comment 11',
      path: 'f.txt',
      position: 1,
      original_position: 0,
      commit_id: run.commits.feature,
      diff_hunk: '@@ -0,0 +1 @@\n+f.txt',
      resolver: { login: 'bob' },
      user: { login: 'ann' },
    })
    expect(reply).toMatchObject({ user: { login: 'bob' }, diff_hunk: expect.stringContaining('+f.txt') })
    const reactions = await get(`full/issues/comments/${comment.id}/reactions`)
    expect(reactions).toMatchObject([{ content: '+1', user: { login: 'Ghost(gitea)' } }])
    const { read } = given.server.app.database
    const rows = await read
      .selectFrom('review')
      .select(['original_author', 'original_author_id'])
      .orderBy('id')
      .execute()
    expect(rows.slice(-2)).toEqual([
      { original_author: 'dan', original_author_id: 8 },
      { original_author: '', original_author_id: 0 },
    ])
    const places = await read
      .selectFrom('review_comment')
      .select(['entry_id', 'reply_to'])
      .orderBy('entry_id')
      .execute()
    expect(places.at(-1)).toEqual({ entry_id: reply.id, reply_to: comment.id })
  })

  it('keeps the reviews of others apart from those of the account that imports', async () => {
    const run = await begin('apart', ({ feature }) => [
      reviewOf(1, 1, { kind: 'approved', isOfficial: true, commitOid: feature }),
      reviewOf(2, 1, { author: rob, kind: 'approved', isOfficial: true, commitOid: feature }),
    ])
    await run.runReviews()
    const pull = await get('apart/pulls/1')
    expect(pull.requested_reviewers.map(({ login }: Any) => login)).toEqual(['bob'])
    await given.ann.client.post('/repos/ann/apart/branch_protections', { rule_name: 'main', required_approvals: 2 })
    const refused = await given.ann.client.post('/repos/ann/apart/pulls/1/merge', { Do: 'merge' })
    expect(refused.json.message).toContain('enough approvals')
    const own = await given.bob.client.post('/repos/ann/apart/pulls/1/reviews', {
      event: 'REQUEST_CHANGES',
      body: 'no',
    })
    expect(own.status).toBe(200)
    expect((await reviewsOf('apart')).map(({ state, dismissed }) => [state, dismissed])).toEqual([
      ['APPROVED', false],
      ['APPROVED', true],
      ['REQUEST_CHANGES', false],
    ])
  })

  it('imports what can be shown of comments on missing files, lines and commits', async () => {
    const run = await begin('damaged', ({ feature, first }) => [
      reviewOf(1, 1, {
        commitOid: 'none',
        author: NOBODY,
        comments: [
          commentOf(11, { path: 'missing.txt', commitOid: feature }),
          commentOf(12, { path: '', line: -4, startLine: 9, commitOid: MISSING }),
          commentOf(13, { commitOid: MISSING }),
          commentOf(14, { isOutdated: true, commitOid: first, path: 'first.txt', replyTo: 99 }),
        ],
      }),
    ])
    await run.runReviews()
    const [review] = await reviewsOf('damaged')
    expect(review).toMatchObject({ state: 'COMMENT', commit_id: '', stale: true, comments_count: 4 })
    const comments = await commentsOf('damaged', review)
    expect(comments.map(({ path, position }) => [path, position])).toEqual([
      ['missing.txt', 1],
      ['', 1],
      ['f.txt', 1],
      ['first.txt', 1],
    ])
    const { read } = given.server.app.database
    const ids = comments.map(({ id }) => id)
    const rows = await read
      .selectFrom('review_comment')
      .selectAll()
      .where('entry_id', 'in', ids)
      .orderBy('entry_id')
      .execute()
    expect(rows.map(({ is_outdated }) => is_outdated)).toEqual([1, 1, 1, 1])
    expect(run.warnings).toHaveLength(3)
    expect(run.warnings[0]).toBe(
      'a comment on "missing.txt" in pull request 1 is outdated: its lines are not in the head',
    )
  })

  it('moves comments with their lines when a branch is pushed', async () => {
    const run = await begin('moved', ({ feature }) => [
      reviewOf(1, 1, { commitOid: feature, comments: [commentOf(11, { commitOid: feature })] }),
    ])
    await run.runReviews()
    const [review] = await reviewsOf('moved')
    const content = await given.ann.client.get('/repos/ann/moved/contents/f.txt?ref=feature')
    const pushed = await given.ann.client.put('/repos/ann/moved/contents/f.txt', {
      branch: 'feature',
      content: Buffer.from('above\nf.txt\n').toString('base64'),
      message: 'Add a line above',
      sha: content.json.sha,
    })
    expect(pushed.status).toBe(200)
    await given.server.drain()
    expect((await commentsOf('moved', review))[0]).toMatchObject({ position: 2, path: 'f.txt' })
    expect((await reviewsOf('moved'))[0]).toMatchObject({ stale: true })
    await commitFile(given.ann, { branch: 'feature', path: 'other.txt', repo: 'ann/moved' })
    await given.server.drain()
    expect((await commentsOf('moved', review))[0]).toMatchObject({ position: 2 })
  })

  it('moves comments on a former head to the present one', async () => {
    const run = await begin(
      'former',
      ({ former }) => [
        reviewOf(1, 1, { commitOid: former, comments: [commentOf(11, { path: 's1.txt', commitOid: former })] }),
      ],
      { headRef: 'refs/pull/5/head', head: fork('') },
    )
    await run.runReviews()
    expect(run.warnings).toEqual([])
    const [review] = await reviewsOf('former')
    expect(review).toMatchObject({ commit_id: run.commits.former, stale: true })
    const row = await given.server.app.database.read
      .selectFrom('review_comment')
      .selectAll()
      .where('review_id', '=', review.id)
      .executeTakeFirstOrThrow()
    expect(row).toMatchObject({ commit_oid: run.commits.squashed, path: 's1.txt', line: 1, is_outdated: 0 })
    expect(row).toMatchObject({ base_oid: run.commits.first, line_commit_oid: run.commits.former })
  })

  it('writes a review of many comments in steps, and continues after any of them', async () => {
    const run = await begin('many', ({ feature }) => [
      reviewOf(1, 1, {
        commitOid: feature,
        comments: Array.from({ length: 150 }, (_, index) =>
          commentOf(100 + index, { commitOid: feature, diffHunk: '+' }),
        ),
      }),
      reviewOf(2, 1, { commitOid: feature }),
    ])
    let from = ''
    for (let last = 'none'; last !== from;) {
      last = from
      const before = run.cursors.length
      await run.runReviews({ from, steps: 1 })
      from = run.cursors[before] ?? from
    }
    expect((await reviewsOf('many')).map((review) => review.comments_count)).toEqual([150, 0])
    await run.runReviews()
    expect((await reviewsOf('many')).map((review) => review.comments_count)).toEqual([150, 0])
  })
})
