import type { SourcePull, SourceReview, SourceReviewComment } from '../../src/domains/migration/imports/source.ts'
import { sourceUser } from './phase-world.ts'
import type { Upstream } from './upstream.ts'

const cat = sourceUser('cat', 7)
const DAY = 86_400_000
const BEGIN = Date.UTC(2020, 0, 1)

/** An open pull request from the branch `feature` into `main`, unless the members say otherwise. */
export const pullOf = (number: number, more: Partial<SourcePull> = {}): SourcePull => ({
  number,
  author: cat,
  title: `Pull ${number}`,
  body: `Body of ${number}`,
  isClosed: false,
  isLocked: false,
  createdAt: BEGIN + number * DAY,
  updatedAt: BEGIN + number * DAY + 1000,
  closedAt: undefined,
  labels: [],
  milestone: undefined,
  assignees: [],
  dueAt: undefined,
  ref: '',
  pinOrder: 0,
  timeEstimate: 0,
  reactions: [],
  assets: [],
  base: { branch: 'main', oid: '' },
  head: { branch: 'feature', oid: '', repo: undefined, isSameRepo: true },
  headRef: `refs/pull/${number}/head`,
  mergeBase: '',
  isDraft: false,
  allowsMaintainerEdit: false,
  merged: undefined,
  requestedReviewers: [],
  ...more,
})

export const reviewOf = (id: number, pull: number, more: Partial<SourceReview> = {}): SourceReview => ({
  id,
  pull,
  author: sourceUser('dan', 8),
  kind: 'comment',
  isDismissed: false,
  isOfficial: false,
  body: `Review ${id}`,
  commitOid: '',
  submittedAt: BEGIN + id * DAY,
  comments: [],
  ...more,
})

export const commentOf = (id: number, more: Partial<SourceReviewComment> = {}): SourceReviewComment => ({
  id,
  author: sourceUser('dan', 8),
  body: `Comment ${id}`,
  path: 'f.txt',
  side: 'new',
  line: 1,
  startLine: 1,
  commitOid: '',
  diffHunk: '',
  isOutdated: false,
  replyTo: undefined,
  resolvedBy: undefined,
  createdAt: BEGIN + id * DAY,
  updatedAt: BEGIN + id * DAY,
  reactions: [],
  assets: [],
  ...more,
})

export const fork = (oid: string, branch = 'patch') => ({
  branch,
  oid,
  repo: 'eve/app',
  isSameRepo: false,
})

/** The commits of a repository with pull requests of all kinds. */
export interface PullCommits {
  readonly first: string
  /** Tip of the branch `feature`, pull request 1. */
  readonly feature: string
  /** Head of pull request 2, and the commit that merged it into `main`; its branch was deleted. */
  readonly topic: string
  readonly merge: string
  /** Head of pull request 3, of a fork. */
  readonly fork: string
  /** Head of pull request 5, which has two commits, and the commit of `main` that they were squashed into. */
  readonly squashed: string
  /** The first of the two commits. */
  readonly former: string
  readonly squash: string
}

export async function createPulls(upstream: Upstream, name: string): Promise<PullCommits> {
  const run = (...args: string[]): Promise<string> => upstream.run(name, ...args)
  const publish = (oid: string, number: number) => run('push', '-q', 'origin', `${oid}:refs/pull/${number}/head`)
  await upstream.create(name)
  const first = await run('rev-parse', 'HEAD')
  const onBranch = async (branch: string, ...files: string[]): Promise<string> => {
    await run('checkout', '-q', '-b', branch, first)
    for (const file of files) await upstream.commit(name, file)
    const tip = await run('rev-parse', 'HEAD')
    await run('checkout', '-q', 'main')
    return tip
  }
  const feature = await onBranch('feature', 'f.txt')
  const topic = await onBranch('topic', 't.txt')
  const forked = await onBranch('forked', 'k.txt')
  const squashed = await onBranch('squashed', 's1.txt', 's2.txt')
  await run('merge', '-q', '--no-ff', '-m', 'Merge topic', 'topic')
  const merge = await run('rev-parse', 'HEAD')
  await run('merge', '-q', '--squash', 'squashed')
  await run('commit', '-qm', 'Squash')
  const squash = await run('rev-parse', 'HEAD')
  for (const [number, oid] of [feature, topic, forked, undefined, squashed].entries())
    if (oid !== undefined) await publish(oid, number + 1)
  for (const branch of ['topic', 'forked', 'squashed']) await run('branch', '-q', '-D', branch)
  await upstream.push(name)
  const former = await run('rev-parse', `${squashed}^`)
  return { first, former, feature, topic, merge, fork: forked, squashed, squash }
}
