import { expect, it } from 'vitest'
import { describeOnBoth } from '../../harness/databases.ts'
import { commitFile, enqueue, newPull, PULLS, queueWorld, RULES } from './queue-world.ts'

describeOnBoth('a merge queue', (kind) => {
  const world = queueWorld({ on: kind, tuning: { mergeQueueLength: 3 } })
  const QUEUE = '/repos/ann/app/branches/main/queue'
  const own = (number: number) => `${PULLS}/${number}/queue`

  it('lists entries with the account that queued them and their batch', async () => {
    expect(await world.entries()).toEqual([])
    const base = await world.tip()
    const [first, second] = await world.queued('one', 'two')
    const entries = await world.entries()
    const { batch } = entries[0]
    expect(batch).toMatchObject({
      ref: `refs/queue/main/${batch.id}`,
      base_sha: base,
      sha: entries[1].merge_commit_sha,
    })
    expect(entries).toMatchObject([
      {
        position: 1,
        state: 'testing',
        pull_request: { number: first, title: 'Pull one' },
        style: 'merge',
        user: { login: 'wes' },
        last_failure: '',
      },
      { position: 2, state: 'testing', pull_request: { number: second }, batch: { id: batch.id, sha: batch.sha } },
    ])
    expect((await world.ann.client.get(own(second!))).json).toEqual(entries[1])
    const page = await world.ann.client.get(`${QUEUE}?limit=1&page=2`)
    expect([page.headers.get('x-total-count'), page.json.length, page.json[0].position]).toEqual(['2', 1, 2])
    const refs = (await world.ann.client.get('/repos/ann/app/git/refs')).json as {
      ref: string
      object: { sha: string }
    }[]
    expect(refs.find(({ ref }) => ref === batch.ref)?.object.sha).toBe(batch.sha)
  })

  it('merges the batch with one push when its statuses have succeeded', async () => {
    const numbers = await world.report('success')
    expect(await world.entries()).toEqual([])
    const commits = (await world.ann.client.get('/repos/ann/app/commits?sha=main&stat=false')).json
    const shas = commits.map(({ sha }: { sha: string }) => sha)
    for (const number of numbers) {
      const shown = await world.shown(number)
      expect(shown).toMatchObject({ merged: true, state: 'closed', merged_by: { login: 'wes' } })
      expect(shas).toContain(shown.merge_commit_sha)
      expect(await world.timeline(number)).toEqual([
        'pull_push',
        'pull_scheduled_merge: Entered the merge queue',
        'merge_pull',
      ])
    }
    expect(await world.tip()).toBe((await world.shown(numbers.at(-1)!)).merge_commit_sha)
    await world.server.drain()
    const refs = (await world.ann.client.get('/repos/ann/app/git/refs')).json as { ref: string }[]
    expect(refs.filter(({ ref }) => ref.startsWith('refs/queue/'))).toEqual([])
  })

  it('accepts each mergeable pull request once, from accounts that may merge, and is limited', async () => {
    const { number } = await newPull(world.wes, 'gate')
    const refusal = async (answer: ReturnType<typeof enqueue>) => {
      const { status, json } = await answer
      return [status, json?.message]
    }
    expect(await refusal(enqueue(world.eve, number))).toEqual([422, 'User not allowed to merge PR'])
    expect((await world.server.anonymous.post(`${PULLS}/${number}/merge`, { Do: 'merge', queue: true })).status).toBe(
      401,
    )
    expect(await refusal(enqueue(world.ann, 999))).toEqual([404, undefined])
    expect(await refusal(enqueue(world.ann, number, { force_merge: true }))).toEqual([
      422,
      '[queue]: Excludes force_merge and merge_when_checks_succeed',
    ])
    expect(await refusal(enqueue(world.ann, number, { Do: 'manually-merged' }))).toEqual([
      422,
      'manually-merged cannot be queued',
    ])
    expect(await refusal(enqueue(world.ann, number, { head_commit_id: '1'.repeat(40) }))).toEqual([
      409,
      'head out of date',
    ])
    await world.ann.client.patch(`${RULES}/main`, { required_approvals: 1 })
    expect(await refusal(enqueue(world.ann, number))).toEqual([422, 'Does not have enough approvals'])
    await world.ann.client.patch(`${RULES}/main`, { required_approvals: 0 })
    await commitFile(world.ann, { branch: 'free', from: 'main' })
    await commitFile(world.wes, { branch: 'tofree', from: 'free' })
    const free = (await world.wes.client.post(PULLS, { head: 'tofree', base: 'free', title: 'x' })).json
    expect(await refusal(enqueue(world.wes, free.number))).toEqual([
      422,
      'free is not protected and has no merge queue',
    ])
    const queued = await enqueue(world.wes, number)
    expect([queued.status, queued.json]).toEqual([201, { merged: false, sha: '', message: 'Put into the merge queue' }])
    expect((await refusal(enqueue(world.wes, number)))[0]).toBe(409)
    await world.queued('gate2', 'gate3')
    const last = await newPull(world.wes, 'gate4')
    expect(await refusal(enqueue(world.wes, last.number))).toEqual([422, 'the merge queue of main is full (at most 3)'])
  })

  it('can be reordered by administrators, which tests moved entries again', async () => {
    const before = await world.entries()
    const [a, b, c] = before.map((entry) => entry.pull_request.number)
    expect((await world.wes.client.patch(own(c), { position: 1 })).status).toBe(403)
    expect((await world.ann.client.patch(own(c), { position: 0 })).status).toBe(422)
    expect((await world.ann.client.patch(own(999), { position: 1 })).status).toBe(404)
    const moved = await world.ann.client.patch(own(c), { position: 1 })
    expect([moved.status, moved.json.position]).toEqual([200, 1])
    const after = await world.entries()
    expect(after.map((entry) => [entry.pull_request.number, entry.state])).toEqual([
      [c, 'testing'],
      [a, 'testing'],
      [b, 'testing'],
    ])
    expect(after[0].batch.id).not.toBe(before[0].batch.id)
    expect((await world.ann.client.patch(own(c), { position: 99 })).json.position).toBe(3)
  })

  it('removes entries for the account that queued, for accounts that may merge, and after changes', async () => {
    const [first, second, third] = (await world.entries()).map((entry) => entry.pull_request.number)
    const refused = await world.eve.client.delete(own(first))
    expect([refused.status, refused.json.message]).toEqual([403, 'user has no permission to cancel the queued merge'])
    expect((await world.wes.client.delete(own(first))).status).toBe(204)
    expect((await world.wes.client.delete(own(first))).status).toBe(404)
    expect(await world.timeline(first)).toContain(
      'pull_cancel_scheduled_merge: Left the merge queue: its merge was cancelled',
    )
    expect((await world.ann.client.delete(`${PULLS}/${second}/merge`)).status).toBe(204)
    expect((await world.ann.client.delete(`${PULLS}/${second}/merge`)).status).toBe(404)
    expect(await world.states()).toEqual([[third, 'testing']])
    const reasons: readonly (readonly [string, (number: number) => Promise<unknown>])[] = [
      ['its head was pushed to', async () => commitFile(world.wes, { branch: 'gate3', path: 'more.txt' })],
      ['it was closed', (number) => world.ann.client.patch(`${PULLS}/${number}`, { state: 'closed' })],
      ['its base is another branch now', (number) => world.ann.client.patch(`${PULLS}/${number}`, { base: 'free' })],
      ['it is a draft now', (number) => world.ann.client.patch(`${PULLS}/${number}`, { title: 'WIP: x' })],
    ]
    let number = (await world.ann.client.get(`${PULLS}?state=open`)).json.find(
      ({ head }: { head: { ref: string } }) => head.ref === 'gate3',
    ).number
    for (const [index, [reason, change]] of reasons.entries()) {
      if (index > 0) [number] = await world.queued(`left${index}`)
      else if (number !== third) expect((await enqueue(world.wes, number)).status).toBe(201)
      await change(number)
      await world.server.drain()
      expect((await world.states()).map(([queued]) => queued)).not.toContain(number)
      expect(await world.timeline(number)).toContain(`pull_cancel_scheduled_merge: Left the merge queue: ${reason}`)
    }
  })

  it('does not hide a branch that is called queue', async () => {
    await commitFile(world.ann, { branch: 'deep/queue', from: 'main' })
    expect((await world.ann.client.get('/repos/ann/app/branches/deep/queue')).json).toMatchObject({
      name: 'deep/queue',
    })
    expect((await world.ann.client.get('/repos/ann/app/branches/nothing/queue')).status).toBe(404)
    expect((await world.ann.client.get('/repos/ann/app/branches/free/queue')).json).toEqual([])
  })
})
