import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { pullsPhase } from '../../src/domains/migration/imports/phases/pulls.phase.ts'
import type { SourcePull } from '../../src/domains/migration/imports/source.ts'
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
import type { Upstream } from './upstream.ts'
import { createPulls, fork, type PullCommits, pullOf } from './pull-sources.ts'

const MISSING = 'f'.repeat(40)

/** Writes a tree that git itself does not make. */
async function writeTree(upstream: Upstream, name: string, content: string): Promise<string> {
  const file = join(upstream.root, 'tree')
  writeFileSync(file, content, 'latin1')
  return upstream.run(name, 'hash-object', '-t', 'tree', '-w', '--literally', file)
}

describeOnBoth('the phase of pull requests', (kind) => {
  const given = phaseWorld(kind)
  const phase = () => pullsPhase(phaseDeps(given))
  const get = async (path: string) => given.ann.client.get(`/repos/ann/${path}`)
  const pull = async (name: string, number: number) => (await get(`${name}/pulls/${number}`)).json
  const filesOf = async (name: string, number: number) =>
    (await get(`${name}/pulls/${number}/files`)).json.map(({ filename }: { filename: string }) => filename)
  const commitsOf = async (name: string, number: number) =>
    (await get(`${name}/pulls/${number}/commits`)).json.map(({ sha }: { sha: string }) => sha)

  async function importPulls(
    name: string,
    pulls: (commits: PullCommits) => readonly SourcePull[],
    options: { readonly bobIs?: string } = {},
  ): Promise<PhaseRun & { readonly commits: PullCommits }> {
    const commits = await createPulls(given.upstream, name)
    const items = pulls(commits)
    const source = sourceWith({ pulls: (after) => pagesOf(items.filter(({ number }) => number > after)) })
    const mapped = options.bobIs === undefined ? {} : { [options.bobIs]: given.bob }
    return { ...(await beginImport(given, { source, name, mapped })), commits }
  }

  const merged = (oid: string, more: object = {}) => ({
    isClosed: true,
    closedAt: Date.UTC(2020, 5, 1),
    merged: { at: Date.UTC(2020, 5, 1), oid, by: sourceUser('dan', 8), style: 'merge', ...more },
  })

  it('imports open, merged, squashed and forked ones with their diffs, files and commits', async () => {
    const run = await importPulls('all', ({ first, merge, squash, fork: forked }) => [
      pullOf(1, { mergeBase: first, title: 'WIP: Pull 1' }),
      pullOf(2, { ...merged(merge), mergeBase: first, head: { ...pullOf(2).head, branch: 'topic' } }),
      pullOf(3, { head: fork(forked), allowsMaintainerEdit: true }),
      pullOf(5, { ...merged(squash, { style: 'squash', by: undefined }), head: { ...pullOf(5).head, branch: 's' } }),
    ])
    await run.run(phase())
    const { first, feature, topic, merge, squashed, squash, fork: forked } = run.commits
    expect(run.warnings).toEqual([])
    expect(run.cursors).toEqual(['2', '5'])
    expect(await pull('all', 1)).toMatchObject({
      title: 'WIP: Pull 1',
      body: 'Body of 1',
      state: 'open',
      draft: true,
      merged: false,
      merge_base: first,
      changed_files: 1,
      head: { ref: 'feature', label: 'feature', sha: feature },
      base: { ref: 'main' },
      created_at: '2020-01-02T00:00:00Z',
      user: { login: 'ann' },
    })
    expect(await pull('all', 2)).toMatchObject({
      state: 'closed',
      merged: true,
      mergeable: true,
      merged_at: '2020-06-01T00:00:00Z',
      closed_at: '2020-06-01T00:00:00Z',
      merge_commit_sha: merge,
      merge_base: first,
      merged_by: { login: 'ann' },
      head: { ref: 'refs/pull/2/head', label: 'topic', sha: topic },
    })
    expect(await pull('all', 3)).toMatchObject({
      state: 'open',
      mergeable: true,
      merge_base: first,
      head: { ref: 'refs/pull/3/head', label: 'patch', sha: forked, repo: null },
    })
    expect(await pull('all', 5)).toMatchObject({ merged: true, merge_commit_sha: squash, merge_base: first })
    expect(await Promise.all([1, 2, 3, 5].map((number) => filesOf('all', number)))).toEqual([
      ['f.txt'],
      ['t.txt'],
      ['k.txt'],
      ['s1.txt', 's2.txt'],
    ])
    expect((await commitsOf('all', 5))[0]).toBe(squashed)
    expect(await Promise.all([1, 2, 3, 5].map(async (number) => (await commitsOf('all', number)).length))).toEqual([
      1, 1, 1, 2,
    ])
    const diff = await fetch(`${given.server.url}/api/v1/repos/ann/all/pulls/2.diff`)
    expect(await diff.text()).toContain('+t.txt')
    const [issue] = (await get('all/issues?type=pulls&state=closed')).json
    expect(issue).toMatchObject({ original_author: 'cat', original_author_id: 7 })
  })

  it('imports what can be shown of damaged ones', async () => {
    const run = await importPulls('damaged', ({ merge, feature }) => [
      pullOf(4, { head: fork(MISSING), headRef: 'refs/pull/4/head', author: NOBODY }),
      pullOf(6, { ...merged(merge), head: fork('not an id'), headRef: 'refs/heads/../x' }),
      pullOf(7, {
        head: { ...pullOf(7).head, oid: feature },
        base: { branch: 'old', oid: MISSING },
        mergeBase: MISSING,
      }),
      pullOf(8, { ...merged(MISSING), headRef: 'refs/pull/1/head', mergeBase: feature }),
      pullOf(8),
      pullOf(9, { title: '', head: { branch: '..', oid: feature, repo: undefined, isSameRepo: true } }),
    ])
    await run.run(phase())
    const { first, merge, feature } = run.commits
    expect(run.warnings).toEqual([
      'the commits of pull request 4 are missing; it was imported as a closed one',
      'the commits of pull request 6 are missing',
      'the base branch old of pull request 7 is missing',
      'the commit that merged pull request 8 is missing',
      'a pull request was not imported: its number 8 is invalid or taken',
    ])
    expect(await pull('damaged', 4)).toMatchObject({ state: 'closed', merged: false, title: 'Pull 4' })
    expect(await filesOf('damaged', 4)).toEqual([])
    expect(await pull('damaged', 6)).toMatchObject({ merged: true, merge_commit_sha: merge })
    expect(await filesOf('damaged', 6)).toEqual(['t.txt'])
    expect(await pull('damaged', 7)).toMatchObject({ state: 'open', mergeable: false, base: { ref: 'old', sha: '' } })
    expect(await filesOf('damaged', 7)).toEqual(['f.txt'])
    expect(await pull('damaged', 8)).toMatchObject({ merged: true, merge_commit_sha: feature, merge_base: first })
    expect(await pull('damaged', 9)).toMatchObject({ head: { sha: feature } })
    const doctor = []
    for (const check of given.server.app.checks.filter(({ name }) => name === 'pull requests'))
      for await (const finding of check.run({ fix: false } as never)) doctor.push(finding)
    expect(doctor).toEqual([])
  })

  it('leaves out commits that git refuses, and fails if the other server does not answer', async () => {
    const run = await importPulls('refused', ({ fork: forked }) => [
      pullOf(1),
      pullOf(3, { head: fork(MISSING) }),
      pullOf(9, { head: fork(forked), headRef: 'refs/pull/3/head' }),
    ])
    const tree = await given.upstream.run('refused', 'rev-parse', 'HEAD^{tree}')
    const bad = await writeTree(given.upstream, 'refused', `40000 .git\0${Buffer.from(tree, 'hex').toString('latin1')}`)
    const commit = await given.upstream.run('refused', 'commit-tree', '-p', run.commits.first, '-m', 'bad', bad)
    await given.upstream.run('refused', 'push', '-q', '--force', 'origin', `${commit}:refs/pull/3/head`)
    given.upstream.login = 'somebody:else'
    await expect(run.run(phase())).rejects.toThrow('credentials')
    given.upstream.login = undefined
    await run.run(phase())
    expect(run.warnings).toEqual([
      expect.stringMatching(/^the commits of pull request 3 were not imported: .*(?:fsck|\.git)/),
      'the commits of pull request 3 are missing; it was imported as a closed one',
      expect.stringMatching(/^the commits of pull request 9 were not imported: /),
      'the commits of pull request 9 are missing; it was imported as a closed one',
    ])
    expect(await pull('refused', 1)).toMatchObject({ state: 'open', head: { sha: run.commits.feature } })
    expect(await pull('refused', 3)).toMatchObject({ state: 'closed', merged: false })
  })

  it('imports nothing of a repository without commits', async () => {
    await given.upstream.create('empty')
    const bare = join(given.upstream.root, 'empty.git')
    await given.upstream.run('empty', '-C', bare, 'config', 'receive.denyDeleteCurrent', 'ignore')
    await given.upstream.run('empty', 'push', '-q', 'origin', '--delete', 'main')
    const source = sourceWith({ pulls: () => pagesOf([pullOf(1, { head: fork(MISSING) })]) })
    const run = await beginImport(given, { source, name: 'empty' })
    await run.run(phase())
    expect(run.warnings).toEqual(['pull request 1 was not imported: the repository has no commits'])
    expect((await get('empty/pulls/1')).status).toBe(404)
  })

  it('continues after the last step', async () => {
    const run = await importPulls('resumed', ({ fork: forked }) => [
      pullOf(1),
      pullOf(2, { head: fork('', 'a') }),
      pullOf(3, { head: fork(forked) }),
    ])
    await run.run(phase(), { steps: 1 })
    expect(run.cursors).toEqual(['2'])
    await run.run(phase(), { from: '2' })
    expect(run.cursors).toEqual(['2', '3'])
    expect(run.warnings).toEqual([])
    expect((await get('resumed/pulls')).json.length).toBe(3)
  })

  it('accepts commits only from the repository that the request names', async () => {
    const requests = given.upstream.requests.length
    const run = await importPulls('origin', () => [pullOf(3, { head: { ...fork(MISSING), repo: '../other' } })])
    await run.run(phase())
    const paths = given.upstream.requests.slice(requests).map((line) => line.split(' ')[1]!.split('?')[0])
    expect([...new Set(paths)].every((path) => path!.startsWith('/origin.git/'))).toBe(true)
    expect(await filesOf('origin', 3)).toEqual(['k.txt'])
  })

  it('requests reviews only of accounts of this server, and notifies nobody', async () => {
    const { read } = given.server.app.database
    const counted = async (table: 'event' | 'notification') =>
      Number(
        (
          await read
            .selectFrom(table)
            .select((eb) => eb.fn.countAll().as('n'))
            .executeTakeFirstOrThrow()
        ).n,
      )
    const run = await importPulls(
      'requests',
      () => [pullOf(1, { requestedReviewers: [sourceUser('eve', 9), sourceUser('rob', 10)] })],
      { bobIs: 'rob' },
    )
    await given.server.drain()
    const before = [await counted('event'), await counted('notification')]
    await run.run(phase())
    await given.server.drain()
    expect([await counted('event'), await counted('notification')]).toEqual(before)
    const { requested_reviewers: reviewers } = await pull('requests', 1)
    expect(reviewers.map(({ login }: { login: string }) => login)).toEqual(['bob'])
  })

  it('leaves pull requests that are pushed, closed, reopened and merged like others', async () => {
    const run = await importPulls('living', ({ fork: forked }) => [pullOf(1), pullOf(3, { head: fork(forked) })])
    await run.run(phase())
    const pushed = await commitFile(given.ann, { branch: 'feature', path: 'more.txt', repo: 'ann/living' })
    await given.server.drain()
    expect(await pull('living', 1)).toMatchObject({ head: { sha: pushed }, changed_files: 2, mergeable: true })
    const base = await commitFile(given.ann, { branch: 'main', path: 'main.txt', repo: 'ann/living' })
    await given.server.drain()
    expect(await pull('living', 3)).toMatchObject({ mergeable: true, base: { sha: base } })
    for (const state of ['closed', 'open']) {
      const answer = await given.ann.client.patch('/repos/ann/living/pulls/1', { state })
      expect(answer.status).toBe(201)
      await given.server.drain()
    }
    for (const number of [1, 3]) {
      const answer = await given.ann.client.post(`/repos/ann/living/pulls/${number}/merge`, { Do: 'merge' })
      expect(answer.status, JSON.stringify(answer.json)).toBe(200)
      await given.server.drain()
      expect(await pull('living', number)).toMatchObject({ merged: true, merged_by: { login: 'ann' } })
    }
  })
})
