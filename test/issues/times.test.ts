import { describe, expect, it } from 'vitest'
import { describeOnBoth } from '../harness/databases.ts'
import type { Any } from '../harness/client.ts'
import { rows } from '../harness/expect.ts'
import { createIssue, issueWorld, timelineOf } from './issue-world.ts'

const DESK = '/repos/ann/desk'
const DISABLED = { has_issues: true, internal_tracker: { enable_time_tracker: false } }
const seconds = (answer: Any): number[] => answer.json.map((time: Any) => time.time)

describeOnBoth('tracked times', (on) => {
  const given = issueWorld({ on })

  it('are added, listed and deleted, with entries in the timeline', async () => {
    const { ann, wes, server } = given
    const { number, id } = await createIssue(ann)
    const path = `${DESK}/issues/${number}/times`
    const created = '2020-02-03T04:05:06Z'
    const first = await ann.client.post(path, { time: 3725, created })
    expect([first.status, first.json]).toEqual([
      200,
      {
        id: expect.any(Number),
        created,
        time: 3725,
        user_id: ann.user.id,
        user_name: 'ann',
        issue_id: id,
        issue: expect.objectContaining({ number, repository: expect.objectContaining({ full_name: 'ann/desk' }) }),
      },
    ])
    await wes.client.post(path, { time: 90 })
    await ann.client.post(path, { time: -60, user_name: 'wes' })
    await wes.client.post(path, { time: 1, user_name: 'ann' })
    const list = await ann.client.get(path)
    expect(list.json.map((time: Any) => [time.user_name, time.time])).toEqual([
      ['ann', 3725],
      ['wes', 90],
      ['wes', -60],
      ['wes', 1],
    ])
    expect(list.headers.get('x-total-count')).toBe('4')
    expect(seconds(await ann.client.get(`${path}?user=wes&limit=2&page=2`))).toEqual([1])
    expect(seconds(await ann.client.get(`${path}?before=${created}`))).toEqual([3725])
    expect(seconds(await ann.client.get(`${path}?since=2020-02-03T04:05:07Z`))).toEqual([90, -60, 1])
    expect((await ann.client.get(`${path}?since=soon`)).status).toBe(422)
    expect((await ann.client.get(`${path}?user=missing`)).status).toBe(404)
    const timeline = await timelineOf(ann, number)
    expect(timeline.map((entry) => entry.tracked_time?.time)).toEqual([3725, 90, -60, 1])
    expect((await wes.client.delete(`${path}/${first.json.id}`)).status).toBe(403)
    expect((await ann.client.delete(`${path}/${first.json.id}`)).status).toBe(204)
    expect((await ann.client.delete(`${path}/${first.json.id}`)).status).toBe(404)
    expect((await wes.client.delete(path)).status).toBe(204)
    expect((await wes.client.delete(path)).status).toBe(404)
    const entries = await rows(server, 'timeline_entry', { issue_id: id })
    expect(entries.map(({ kind, body }) => [kind, body])).toEqual([
      ['add_time_manual', '1 hour 2 minutes'],
      ['add_time_manual', '1 minute'],
      ['add_time_manual', '-1 minute'],
      ['add_time_manual', '1 second'],
      ['delete_time_manual', '1 hour 2 minutes'],
      ['delete_time_manual', '31 seconds'],
    ])
    const left = (await timelineOf(ann, number)).map((entry) => entry.tracked_time?.time)
    expect(left).toEqual(Array(6).fill(undefined))
  })

  it('are listed by repository, by user and for the requester', async () => {
    const { ann, wes } = given
    const [one, two] = [await createIssue(ann), await createIssue(ann, {}, 'ann/vault')]
    await ann.client.post(`${DESK}/issues/${one.number}/times`, { time: 60 })
    await wes.client.post(`${DESK}/issues/${one.number}/times`, { time: 61 })
    await ann.client.post(`/repos/ann/vault/issues/${two.number}/times`, { time: 62 })
    expect(seconds(await ann.client.get(`${DESK}/times`))).toEqual([60, 61])
    expect(seconds(await ann.client.get(`${DESK}/times?user=wes`))).toEqual([61])
    expect(seconds(await ann.client.get(`${DESK}/times/wes`))).toEqual([61])
    expect(seconds(await wes.client.get(`${DESK}/times/WES`))).toEqual([61])
    expect((await wes.client.get(`${DESK}/times/ann`)).status).toBe(403)
    expect((await ann.client.get(`${DESK}/times/missing`)).status).toBe(404)
    const own = await ann.client.get('/user/times')
    expect([seconds(own), own.headers.get('x-total-count')]).toEqual([[60, 62], '2'])
    const publicly = await ann.withToken('public-only', 'all')
    expect(seconds(await publicly.get('/user/times'))).toEqual([60])
  })
})

describe('times of commits', () => {
  const given = issueWorld()

  it('are added to the issue that the commit closes', async () => {
    const { ann, server } = given
    const { number } = await createIssue(ann)
    const commit = (path: string, message: string) =>
      ann.client.post(`${DESK}/contents/${path}`, { content: Buffer.from('x').toString('base64'), message })
    expect((await commit('a.txt', `Closes #${number} @1h30m`)).status).toBe(201)
    await server.drain()
    expect((await ann.client.get(`${DESK}/issues/${number}`)).json.state).toBe('closed')
    expect((await ann.client.get(`${DESK}/issues/${number}/times`)).json).toMatchObject([
      { time: 5400, user_name: 'ann' },
    ])
    expect((await timelineOf(ann, number)).map((entry) => [entry.type, entry.body])).toContainEqual([
      'add_time_manual',
      '1 hour 30 minutes',
    ])
    await ann.client.patch(DESK, DISABLED)
    const other = await createIssue(ann)
    await commit('b.txt', `Closes #${other.number} @1h30m`)
    await server.drain()
    await ann.client.patch(DESK, { has_issues: true, internal_tracker: { enable_time_tracker: true } })
    expect((await ann.client.get(`${DESK}/issues/${other.number}/times`)).json).toEqual([])
  })
})

describe('permissions for times', () => {
  const given = issueWorld()

  it('include writers, the author and assignees, others if the repository allows it; all see their own', async () => {
    const { ann, bob, wes, server } = given
    const add = async (person: typeof ann, number: number, body: object = { time: 5 }) =>
      (await person.client.post(`${DESK}/issues/${number}/times`, body)).status
    const [his, hers] = [await createIssue(bob), await createIssue(ann)]
    expect([await add(bob, his.number), await add(wes, his.number)]).toEqual([200, 200])
    const refused = await bob.client.post(`${DESK}/issues/${hers.number}/times`, { time: 5 })
    expect([refused.status, refused.json.message]).toEqual([403, ''])
    expect((await bob.client.delete(`${DESK}/issues/${hers.number}/times`)).status).toBe(403)
    await ann.client.patch(`${DESK}/issues/${hers.number}`, { assignees: ['bob'] })
    expect(await add(bob, hers.number)).toBe(200)
    const times = `${DESK}/issues/${his.number}/times`
    expect((await bob.client.get(times)).json.map((time: Any) => time.user_name)).toEqual(['bob'])
    expect((await bob.client.get(`${DESK}/times`)).json.map((time: Any) => time.user_name)).toEqual(['bob', 'bob'])
    const others = await bob.client.get(`${times}?user=wes`)
    expect([others.status, others.json.message]).toEqual([403, 'query by user not allowed; not enough rights'])
    expect((await server.anonymous.get(times)).status).toBe(401)
    await ann.client.patch(`${DESK}/issues/${hers.number}`, { assignees: [] })
    const anyone = { allow_only_contributors_to_track_time: false }
    await ann.client.patch(DESK, { has_issues: true, internal_tracker: anyone })
    expect(await add(bob, hers.number)).toBe(200)
  })

  it('require a positive time', async () => {
    const { ann } = given
    const { number } = await createIssue(ann)
    const message = async (body: object) => {
      const { status, json } = await ann.client.post(`${DESK}/issues/${number}/times`, body)
      return [status, json.message]
    }
    expect(await message({ time: 0 })).toEqual([422, '[Time]: Required'])
    expect(await message({})).toEqual([422, '[Time]: Required'])
    expect((await message({ time: 2 ** 40 }))[1]).toMatch(/^\[Time\]: Range/)
    expect((await message({ time: 60, created: 'soon' }))[0]).toBe(422)
    expect((await message({ time: 60, user_name: 'missing' }))[0]).toBe(404)
  })

  it('include no account if time tracking is disabled', async () => {
    const { ann } = given
    const { number } = await createIssue(ann)
    await ann.client.patch(DESK, DISABLED)
    const path = `${DESK}/issues/${number}`
    const hidden = await ann.client.get(`${path}/times`)
    expect([hidden.status, hidden.headers.get('x-ingot-message')]).toEqual([404, 'Timetracker is disabled'])
    const refused = await ann.client.post(`${path}/times`, { time: 60 })
    expect([refused.status, refused.json.message]).toEqual([400, 'time tracking disabled'])
    for (const times of ['times', 'times/1']) {
      const { status, json } = await ann.client.delete(`${path}/${times}`)
      expect([status, json.Message]).toEqual([400, 'time tracking disabled'])
    }
    for (const times of ['times', 'times/ann']) expect((await ann.client.get(`${DESK}/${times}`)).status).toBe(400)
    const start = await ann.client.post(`${path}/stopwatch/start`)
    expect([start.status, start.json.message]).toEqual([403, ''])
    await ann.client.patch(DESK, { has_issues: false })
    expect((await ann.client.get(`${DESK}/times`)).status).toBe(404)
  })
})
