import { expect, it } from 'vitest'
import { systemClock } from '../../../src/core/platform/clock.ts'
import { describeOnBoth } from '../../harness/databases.ts'
import { oracle } from '../../core/git/fixture.ts'
import { commitFile, enqueue, newPull, PULLS, queueWorld, repoPath, RULES } from './queue-world.ts'

describeOnBoth('a batch of a merge queue', (kind) => {
  let late = 0
  const clock = { ...systemClock, now: () => systemClock.now() + late }
  const world = queueWorld({
    on: kind,
    clock,
    settings: { 'pull_request.merge_queue_batch_size': '4', 'pull_request.merge_queue_timeout': '60' },
  })
  const files = async (ref: string): Promise<string[]> => {
    const listed = (await world.ann.client.get(`/repos/ann/app/contents?ref=${ref}`)).json
    return listed.map(({ name }: { name: string }) => name)
  }
  /** A CI that fails when these files exist; returns the sizes of the batches that it tested. */
  const testUntilEmpty = async (...bad: readonly string[]): Promise<number[]> => {
    const sizes: number[] = []
    for (let queue = await world.entries(); queue.length > 0; queue = await world.entries()) {
      const { sha } = queue[0].batch
      const found = await files(sha)
      await world.reportFor(sha, bad.some((file) => found.includes(file)) ? 'failure' : 'success')
      sizes.push(queue.filter(({ state }) => state === 'testing').length)
      expect(sizes.length).toBeLessThan(20)
    }
    return sizes
  }

  it('is halved when it fails, until the failing pull request is found', async () => {
    const numbers = await world.queued('a1', 'a2', 'a3', 'a4', 'a5')
    expect((await world.states()).map(([, state]) => state)).toEqual([...Array(4).fill('testing'), 'waiting'])
    await world.report('failure')
    const [first, , third] = await world.entries()
    expect([first.state, third.state]).toEqual(['testing', 'waiting'])
    expect(third.last_failure).toMatch(/^batch \d+ of 4: required statuses failed: ci \(failure\)$/)
    // [a1 a2] pass, [a3] fails alone, [a4] passes; then a5, which was never suspected.
    expect(await testUntilEmpty('a3.txt', 'a5.txt')).toEqual([2, 1, 1, 1])
    const merged = await Promise.all(numbers.map(async (number) => (await world.shown(number)).merged))
    expect(merged).toEqual([true, true, false, true, false])
    const failed = await world.shown(numbers[2]!)
    expect(failed.state).toBe('open')
    expect((await world.timeline(failed.number)).at(-1)).toBe(
      'pull_cancel_scheduled_merge: Left the merge queue: required statuses failed: ci (failure)',
    )
    expect(await files('main')).toEqual(['README.md', 'a1.txt', 'a2.txt', 'a4.txt'])
    const threads = (await world.wes.client.get('/notifications')).json
    expect(threads.map(({ subject }: { subject: { title: string } }) => subject.title)).toContain('Pull a3')
  })

  it('defers pull requests that conflict within it, and removes those that conflict with the base', async () => {
    const clash = async (branch: string) => {
      await commitFile(world.wes, { branch, from: 'main', path: 'clash.txt', text: `${branch}\n` })
      const pull = (await world.wes.client.post(PULLS, { head: branch, base: 'main', title: branch })).json
      expect((await enqueue(world.wes, pull.number)).status).toBe(201)
      return pull.number as number
    }
    const [one, two] = [await clash('c1'), await clash('c2')]
    const [three] = await world.queued('c3')
    expect(await world.states()).toEqual([
      [one, 'testing'],
      [two, 'waiting'],
      [three, 'waiting'],
    ])
    expect(await world.report('success')).toEqual([one])
    expect(await world.states()).toEqual([[three, 'testing']])
    expect((await world.timeline(two)).at(-1)).toMatch(/^pull_cancel_scheduled_merge: Left the merge queue: .*conflict/)
    expect(await testUntilEmpty()).toEqual([1])
  })

  it('is rebuilt after a push to the base, and merges each pull request in its own style', async () => {
    const styles = ['squash', 'rebase', 'rebase-merge', 'merge']
    for (const style of styles) {
      const { number } = await newPull(world.wes, `d-${style}`)
      const order = { Do: style, MergeTitleField: `By ${style}`, delete_branch_after_merge: true }
      expect((await enqueue(world.wes, number, order)).status).toBe(201)
    }
    const before = (await world.entries())[0].batch
    const pushed = await commitFile(world.ann, { branch: 'main', path: 'pushed.txt' })
    const after = (await world.entries())[0].batch
    expect([after.id, after.base_sha]).toEqual([before.id, pushed])
    expect(after.sha).not.toBe(before.sha)
    await world.reportFor(before.sha, 'success')
    expect((await world.states()).map(([, state]) => state)).toEqual(Array(4).fill('testing'))
    expect(await testUntilEmpty()).toEqual([4])
    expect(await world.tip()).toBe(after.sha)
    const path = await repoPath(world.server)
    expect(oracle(path, ['log', '--first-parent', '--format=%s', `${pushed}..main`]).split('\n')).toEqual([
      'By merge',
      'By rebase-merge',
      'Add d-rebase.txt',
      'By squash',
    ])
    expect((await world.ann.client.get('/repos/ann/app/branches/d-merge')).status).toBe(404)
  })

  it('fails when statuses time out, and is merged at once when none are required', async () => {
    const [number] = await world.queued('e1')
    expect(await world.states()).toEqual([[number, 'testing']])
    late = 30_000
    await commitFile(world.ann, { branch: 'main', path: 'pushed-late.txt' })
    expect(await world.states()).toEqual([[number, 'testing']])
    late = 61_000
    expect(await world.states()).toEqual([[number, 'testing']])
    late = 95_000
    expect(await world.entries()).toEqual([])
    expect((await world.timeline(number!)).at(-1)).toBe(
      'pull_cancel_scheduled_merge: Left the merge queue: no required statuses after 60 s',
    )
    const [waits] = await world.queued('e2')
    expect(await world.states()).toEqual([[waits, 'testing']])
    await world.ann.client.patch(`${RULES}/main`, { enable_status_check: false })
    expect(await world.entries()).toEqual([])
    await world.queued('e3', 'e4')
    expect(await world.entries()).toEqual([])
    expect((await world.shown(waits!)).merged).toBe(true)
    expect(await files('main')).toEqual(expect.arrayContaining(['e2.txt', 'e3.txt', 'e4.txt']))
    await world.ann.client.patch(`${RULES}/main`, { enable_status_check: true })
  })

  it('is announced when statuses become required after it was built', async () => {
    const { database } = world.server.app
    const announced = async (): Promise<unknown[]> =>
      database.read
        .selectFrom('event')
        .select('payload')
        .where('kind', '=', 'merge_queue.built')
        .orderBy('id')
        .execute()
    const [number] = await world.queued('late-rule')
    expect(await world.states()).toEqual([[number, 'testing']])
    const before = await announced()
    await world.ann.client.patch(`${RULES}/main`, { required_approvals: 0 })
    expect(await world.states()).toEqual([[number, 'testing']])
    expect(await announced()).toEqual(before)
    await database.transaction((tx) => tx.updateTable('merge_queue_batch').set({ is_announced: 0 }).execute())
    await world.ann.client.patch(`${RULES}/main`, { enable_status_check: true })
    expect(await world.states()).toEqual([[number, 'testing']])
    expect((await announced()).length).toBe(before.length + 1)
    expect((await announced()).at(-1)).toEqual(before.at(-1))
    await world.report('success')
    expect(await world.entries()).toEqual([])
  })

  it('checks the rules again before it is merged, with the present rights of the account', async () => {
    const [first, second] = await world.queued('f1', 'f2')
    await world.entries()
    const review = { event: 'REQUEST_CHANGES', body: 'no' }
    await world.ann.client.patch(`${RULES}/main`, { block_on_rejected_reviews: true })
    expect((await world.ann.client.post(`${PULLS}/${first}/reviews`, review)).status).toBe(200)
    expect(await world.states()).toEqual([[second, 'testing']])
    expect((await world.timeline(first!)).at(-1)).toContain('There are requested changes')
    await world.ann.client.put('/repos/ann/app/collaborators/wes', { permission: 'read' })
    await world.report('success')
    expect(await world.entries()).toEqual([])
    expect((await world.timeline(second!)).at(-1)).toContain('User not allowed to merge PR')
    expect((await world.shown(second!)).merged).toBe(false)
  })
})
