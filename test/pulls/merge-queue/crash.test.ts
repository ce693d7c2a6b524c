import { afterAll, beforeAll, expect, it } from 'vitest'
import { oracle } from '../../core/git/fixture.ts'
import { describeOnBoth, makePlace, type ServerPlace } from '../../harness/databases.ts'
import { startIngot } from '../../harness/process.ts'
import { queueWorld, repoPath } from './queue-world.ts'

describeOnBoth('a merge queue that a crash interrupted', (kind) => {
  const world = queueWorld({ on: kind })

  /** Starts a merge of the queue, and kills the process before or after the ref has moved. */
  async function interrupt({ hasMoved }: { readonly hasMoved: boolean }): Promise<string> {
    const { database } = world.server.app
    const [{ batch }] = await world.entries()
    const entries = await database.read.selectFrom('merge_queue_entry').selectAll().orderBy('position').execute()
    await database.transaction(async (tx) => {
      await tx.updateTable('merge_queue_batch').set({ state: 'merging' }).execute()
      for (const { pull_id, repo_id, oid, actor_id } of entries) {
        const made = { style: 'merge', created_at: Date.now() - 600_000 }
        const intent = { pull_id, repo_id, base_branch: 'main', oid, actor_id, ...made }
        await tx.insertInto('merge_intent').values(intent).execute()
      }
    })
    if (hasMoved) oracle(await repoPath(world.server), ['update-ref', 'refs/heads/main', batch.sha])
    return batch.sha
  }

  const restart = async (kind: 'merge_queue.advance' | 'repos.reconcile'): Promise<void> => {
    const { database, jobs } = world.server.app
    const { repo_id } = await database.read
      .selectFrom('merge_queue_entry')
      .select('repo_id')
      .limit(1)
      .executeTakeFirstOrThrow()
    await database.transaction((tx) =>
      kind === 'repos.reconcile'
        ? jobs.enqueue(tx, kind, {}, { key: 'all' })
        : jobs.enqueue(tx, kind, { repo_id, branch: 'main' }),
    )
    await world.server.drain()
  }

  const requireMerged = async (numbers: readonly number[]): Promise<void> => {
    const { database } = world.server.app
    expect(await world.entries()).toEqual([])
    expect(await database.read.selectFrom('merge_intent').selectAll().execute()).toEqual([])
    expect(await database.read.selectFrom('merge_queue_batch').selectAll().execute()).toEqual([])
    for (const number of numbers) {
      expect(await world.shown(number)).toMatchObject({ merged: true, merged_by: { login: 'wes' } })
      expect((await world.timeline(number)).filter((kind) => kind === 'merge_pull')).toHaveLength(1)
    }
    const subjects = oracle(await repoPath(world.server), ['log', '--first-parent', '--format=%s', 'main']).split('\n')
    for (const number of numbers) expect(subjects.filter((text) => text.includes(`(#${number})`))).toHaveLength(1)
  }

  it.each(['merge_queue.advance', 'repos.reconcile'] as const)(
    'records the merge of a moved ref, by %s',
    async (job) => {
      const numbers = await world.queued(`${job}1`, `${job}2`)
      const oid = await interrupt({ hasMoved: true })
      await restart(job)
      await requireMerged(numbers)
      expect(await world.tip()).toBe(oid)
    },
  )

  it('tests and merges the batch again when the ref has not moved', async () => {
    const numbers = await world.queued('unmoved1', 'unmoved2')
    const oid = await interrupt({ hasMoved: false })
    await restart('merge_queue.advance')
    expect((await world.states()).map(([, state]) => state)).toEqual(['testing', 'testing'])
    await world.report('success')
    await requireMerged(numbers)
    expect(await world.tip()).toBe(oid)
  })

  it('rebuilds a batch when only its ref was written, and deletes refs of deleted batches', async () => {
    const numbers = await world.queued('ref1')
    const path = await repoPath(world.server)
    const [{ batch }] = await world.entries()
    const { database } = world.server.app
    await database.transaction(async (tx) => {
      await tx.updateTable('merge_queue_batch').set({ state: 'building', oid: '', base_oid: '', built_at: 0 }).execute()
      await tx.updateTable('merge_queue_entry').set({ oid: '' }).execute()
    })
    oracle(path, ['update-ref', batch.ref, 'main'])
    oracle(path, ['update-ref', 'refs/queue/main/999', 'main'])
    await restart('merge_queue.advance')
    const [again] = await world.entries()
    const refs = oracle(path, ['for-each-ref', '--format=%(refname) %(objectname)', 'refs/queue/'])
    expect(refs.trim()).toBe(`${batch.ref} ${again.batch.sha}`)
    await world.report('success')
    await requireMerged(numbers)
  })
})

describeOnBoth('a server that is killed while its queue merges', (kind) => {
  let place: ServerPlace
  beforeAll(async () => {
    place = await makePlace(kind)
  })
  afterAll(() => place.remove())

  it('merges each pull request once before the queue is empty', { timeout: 240_000 }, async () => {
    const settings = [...place.settings, '--set', 'pull_request.merge_queue_batch_size=2']
    let running = await startIngot(place.dataDir, settings)
    const authorization = `Basic ${Buffer.from(`admin:${running.password}`).toString('base64')}`
    const headers = { authorization, 'content-type': 'application/json' }
    const call = async (method: string, path: string, body?: object) => {
      const given = { method, headers, ...(body && { body: JSON.stringify(body) }) }
      const answer = await fetch(`${running.url}/api/v1/repos/admin/r${path}`, given)
      const text = await answer.text()
      return { status: answer.status, json: (text === '' ? {} : JSON.parse(text)) as { merged: boolean }[] }
    }
    const one = async (path: string) => (await call('GET', path)).json as unknown as { merged: boolean }
    await fetch(`${running.url}/api/v1/user/repos`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ name: 'r', auto_init: true, default_branch: 'main' }),
    })
    await call('POST', '/branch_protections', { rule_name: 'main' })
    const numbers: number[] = []
    const branches = [1, 2, 3, 4, 5]
    await Promise.all(
      branches.map(async (index) => {
        const file = { content: '', message: `f${index}`, branch: 'main', new_branch: `b${index}` }
        await call('POST', `/contents/f${index}`, file)
        const made = await call('POST', '/pulls', { head: `b${index}`, base: 'main', title: `b${index}` })
        numbers[index - 1] = (made.json as unknown as { number: number }).number
      }),
    )
    const queue = (number: number) => call('POST', `/pulls/${number}/merge`, { Do: 'merge', queue: true })
    const isMerged = async (number: number) => (await one(`/pulls/${number}`)).merged
    const queued = numbers.map((number) => queue(number).catch(() => undefined))
    // While the batches are built, and while they are merged.
    await Promise.race(queued)
    if (kind === 'postgres')
      await expect
        .poll(async () => (await Promise.all(numbers.map(isMerged))).includes(true), { timeout: 60_000 })
        .toBe(true)
    await running.stop('SIGKILL')
    await Promise.all(queued)
    running = await startIngot(place.dataDir, settings)
    // Pull requests that were not queued before the kill are queued now; the others are queued or merged.
    for (const number of numbers) {
      // NOTE: 422 also while the mergeability check is running.
      const isQueued = async () => [201, 409].includes((await queue(number)).status) || isMerged(number)
      await expect.poll(isQueued, { timeout: 60_000 }).toBe(true)
    }
    await expect
      .poll(async () => (await call('GET', '/branches/main/queue')).json, { timeout: 120_000, interval: 200 })
      .toEqual([])
    const commits = (await call('GET', '/commits?sha=main&limit=50&stat=false')).json as unknown as {
      commit: { message: string }
    }[]
    for (const [index, number] of numbers.entries()) {
      const start = `Merge pull request 'b${branches[index]}' `
      const merges = commits.filter(({ commit }) => commit.message.startsWith(start))
      expect([number, await isMerged(number), merges.length]).toEqual([number, true, 1])
    }
    expect(await running.stop()).toBe(0)
  })
})
