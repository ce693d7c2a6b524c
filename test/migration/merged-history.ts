import type { Upstream } from './upstream.ts'

/** Commits of a repository, by id. */
export interface MergedHistory {
  /** The first one, with the tag v1. */
  readonly base: string
  /** Tip of a branch that was merged and deleted. */
  readonly head: string
  /** The tip of main. */
  readonly merge: string
}

/** Creates a repository in which a branch was merged; `refs` still point to its head. */
export async function createMergedHistory(
  upstream: Upstream,
  name: string,
  refs: readonly string[],
): Promise<MergedHistory> {
  const run = async (...args: string[]): Promise<string> => (await upstream.run(name, ...args)).trim()
  await upstream.create(name)
  await run('tag', 'v1')
  await upstream.push(name)
  const base = await run('rev-parse', 'HEAD')
  await run('checkout', '-qb', 'topic')
  const head = (await upstream.commit(name, 'topic.txt')).trim()
  await run('push', '-q', 'origin', ...refs.map((ref) => `HEAD:${ref}`))
  await run('checkout', '-q', 'main')
  await run('merge', '-q', '--no-ff', '-m', 'Merge topic', 'topic')
  await run('branch', '-qD', 'topic')
  await upstream.push(name)
  return { base, head, merge: await run('rev-parse', 'HEAD') }
}
