import { expect, it, vi } from 'vitest'
import { describeOnBoth } from '../../harness/databases.ts'
import { commitFile, merge, newPull, PULLS, pullWorld } from './merge-world.ts'

const SCHEDULE = { merge_when_checks_succeed: true }

describeOnBoth('scheduling a merge', (kind) => {
  const world = pullWorld({ on: kind })
  const rules = '/repos/ann/app/branch_protections'
  const isMerged = async (number: number) => {
    await world.server.drain()
    return (await world.ann.client.get(`${PULLS}/${number}/merge`)).status === 204
  }
  const report = (oid: string, state: string) =>
    world.ann.client.post(`/repos/ann/app/statuses/${oid}`, { state, context: 'ci' })

  it('merges with the requested options once the required contexts have succeeded', async () => {
    await world.ann.client.post(rules, { rule_name: 'main', enable_status_check: true, status_check_contexts: ['ci'] })
    const pull = await newPull(world.wes, 'soon')
    const order = { Do: 'squash', ...SCHEDULE, MergeTitleField: 'Scheduled', delete_branch_after_merge: true }
    const scheduled = await merge(world.wes, pull.number, order)
    expect([scheduled.status, scheduled.json]).toEqual([
      201,
      { merged: false, sha: '', message: 'Scheduled to merge when its checks succeed' },
    ])
    const again = await merge(world.wes, pull.number, order)
    expect([again.status, again.json.message]).toEqual([
      409,
      `pull request is already scheduled to auto merge when checks succeed [pull_id: ${pull.id}]`,
    ])
    await report(pull.head.sha, 'failure')
    expect(await isMerged(pull.number)).toBe(false)
    await report(pull.head.sha, 'success')
    expect(await isMerged(pull.number)).toBe(true)
    const shown = (await world.ann.client.get(`${PULLS}/${pull.number}`)).json
    expect(shown).toMatchObject({ merged: true, merged_by: { login: 'wes' } })
    const commit = (await world.ann.client.get(`/repos/ann/app/git/commits/${shown.merge_commit_sha}`)).json
    expect(commit.commit.message).toBe('Scheduled\n')
    expect((await world.ann.client.get('/repos/ann/app/branches/soon')).status).toBe(404)
    const entries = (await world.ann.client.get(`/repos/ann/app/issues/${pull.number}/timeline`)).json
    expect(entries.map((entry: { type: string }) => entry.type)).toEqual([
      'pull_push',
      'pull_scheduled_merge',
      'merge_pull',
      'delete_branch',
    ])
    const feed = (await world.wes.client.get('/users/wes/activities/feeds?only-performed-by=true')).json
    expect(feed.map((entry: { op_type: string }) => entry.op_type)).toContain('auto_merge_pull_request')
    expect((await world.wes.client.delete(`${PULLS}/${pull.number}/merge`)).status).toBe(404)
  })

  it('can be cancelled by the account that scheduled it and by accounts that may merge', async () => {
    const pull = await newPull(world.wes, 'cancelled')
    expect((await world.wes.client.delete(`${PULLS}/${pull.number}/merge`)).status).toBe(404)
    expect((await merge(world.eve, pull.number, SCHEDULE)).status).toBe(422)
    expect((await merge(world.wes, pull.number, SCHEDULE)).status).toBe(201)
    const refused = await world.eve.client.delete(`${PULLS}/${pull.number}/merge`)
    expect([refused.status, refused.json.message]).toEqual([
      403,
      'user has no permission to cancel the scheduled auto merge',
    ])
    expect((await world.ann.client.delete(`${PULLS}/${pull.number}/merge`)).status).toBe(204)
    await report(pull.head.sha, 'success')
    expect(await isMerged(pull.number)).toBe(false)
  })

  it('merges at once when nothing forbids it, and when a changed rule permits it', async () => {
    const waiting = await newPull(world.wes, 'waiting')
    expect((await merge(world.wes, waiting.number, { Do: 'rebase', ...SCHEDULE })).status).toBe(201)
    const outdated = await newPull(world.wes, 'stays')
    expect((await merge(world.wes, outdated.number, SCHEDULE)).status).toBe(201)
    expect(await isMerged(waiting.number)).toBe(false)
    await world.ann.client.delete(`${rules}/main`)
    expect(await isMerged(waiting.number)).toBe(true)
    expect(await isMerged(outdated.number)).toBe(true)
    const free = await newPull(world.wes, 'free')
    expect((await merge(world.wes, free.number, SCHEDULE)).status).toBe(201)
    expect(await isMerged(free.number)).toBe(true)
  })

  it('keeps the schedule over a push, and merges only for the new head', async () => {
    await world.ann.client.post(rules, { rule_name: 'main', enable_status_check: true, status_check_contexts: ['ci'] })
    const pull = await newPull(world.wes, 'pushed')
    expect((await merge(world.wes, pull.number, SCHEDULE)).status).toBe(201)
    const head = await commitFile(world.wes, { branch: 'pushed', path: 'more.txt' })
    await world.server.drain()
    await report(pull.head.sha, 'success')
    await report(head, 'success')
    expect(await isMerged(pull.number)).toBe(true)
    expect((await world.ann.client.get(`${PULLS}/${pull.number}`)).json.head.sha).toBe(head)
  })

  const checked = { enable_push: true, enable_status_check: true, status_check_contexts: ['ci'] }
  const cancellations = async (number: number): Promise<string[]> => {
    const entries = (await world.ann.client.get(`/repos/ann/app/issues/${number}/timeline`)).json
    const ended = entries.filter(({ type }: { type: string }) => type === 'pull_cancel_scheduled_merge')
    return ended.map(({ body }: { body: string }) => body)
  }

  it('ends when the base is changed by hand, or because it was deleted', async () => {
    for (const base of ['open', 'by-hand', 'doomed']) await commitFile(world.ann, { branch: base, from: 'main' })
    for (const base of ['by-hand', 'doomed']) await world.ann.client.post(rules, { rule_name: base, ...checked })
    const moved = await newPull(world.wes, 'moved', { base: 'by-hand' })
    const orphan = await newPull(world.wes, 'orphan', { base: 'doomed' })
    for (const { number } of [moved, orphan]) expect((await merge(world.ann, number, SCHEDULE)).status).toBe(201)
    expect((await world.wes.client.patch(`${PULLS}/${moved.number}`, { base: 'open' })).status).toBe(201)
    // A conflict with the base makes it wait even without a rule.
    await commitFile(world.ann, { branch: 'doomed', path: 'orphan.txt', text: 'another\n' })
    expect((await world.ann.client.delete(`${rules}/doomed`)).status).toBe(204)
    expect(await isMerged(orphan.number)).toBe(false)
    await world.ann.client.delete(`${rules}/main`)
    expect((await world.ann.client.delete('/repos/ann/app/branches/doomed')).status).toBe(204)
    await world.server.drain()
    await commitFile(world.ann, { branch: 'anything', from: 'main' })
    for (const [{ number }, base] of [
      [moved, 'open'],
      [orphan, 'main'],
    ] as const) {
      expect(await isMerged(number)).toBe(false)
      expect((await world.ann.client.get(`${PULLS}/${number}`)).json.base.ref).toBe(base)
      expect(await cancellations(number)).toEqual(['The scheduled merge was cancelled: its base is another branch now'])
    }
  })

  it('is for the named head, and ends with another one', async () => {
    await world.ann.client.post(rules, { rule_name: 'main', ...checked })
    const pull = await newPull(world.wes, 'named')
    const order = (oid: string) => merge(world.ann, pull.number, { ...SCHEDULE, head_commit_id: oid })
    const other = await order(pull.base.sha)
    expect([other.status, other.json.message]).toEqual([409, 'head out of date'])
    expect((await order(pull.head.sha)).status).toBe(201)
    const head = await commitFile(world.wes, { branch: 'named', path: 'unseen.txt' })
    await report(head, 'success')
    expect(await isMerged(pull.number)).toBe(false)
    expect(await cancellations(pull.number)).toEqual(['The scheduled merge was cancelled: its head was pushed to'])
    expect((await order(head)).status).toBe(201)
    expect(await isMerged(pull.number)).toBe(true)
    await world.ann.client.delete(`${rules}/main`)
  })

  it('does nothing when it is cancelled while the base moves', async () => {
    const { pushes } = world.server.app
    const { number } = await newPull(world.wes, 'late')
    const move = pushes.moveRefs.bind(pushes)
    const spy = vi.spyOn(pushes, 'moveRefs').mockImplementationOnce(async (...args) => {
      expect((await world.ann.client.delete(`${PULLS}/${number}/merge`)).status).toBe(204)
      await commitFile(world.ann, { branch: 'main', path: 'overtakes.txt' })
      return move(...args)
    })
    expect((await merge(world.ann, number, SCHEDULE)).status).toBe(201)
    expect(await isMerged(number)).toBe(false)
    expect(spy).toHaveBeenCalled()
    spy.mockRestore()
  })

  it('merges when the rejecting account loses access, or is suspended', async () => {
    const root = await world.server.world.admin()
    const zoe = await world.server.world.user('zoe')
    await world.ann.client.delete(`${rules}/main`)
    await world.ann.client.post(rules, { rule_name: 'main', block_on_rejected_reviews: true })
    const refused = async (branch: string): Promise<number> => {
      await world.ann.client.put('/repos/ann/app/collaborators/zoe', { permission: 'write' })
      const { number } = await newPull(world.wes, branch)
      const review = { event: 'REQUEST_CHANGES', body: 'no' }
      expect((await zoe.client.post(`${PULLS}/${number}/reviews`, review)).status).toBe(200)
      expect((await merge(world.wes, number, SCHEDULE)).status).toBe(201)
      expect(await isMerged(number)).toBe(false)
      return number
    }
    const left = await refused('left')
    await world.ann.client.delete('/repos/ann/app/collaborators/zoe')
    expect(await isMerged(left)).toBe(true)
    const suspended = await refused('suspended')
    expect((await root.client.patch('/admin/users/zoe', { prohibit_login: true })).status).toBe(200)
    expect(await isMerged(suspended)).toBe(true)
  })
})
