import { describe, expect, it } from 'vitest'
import { describeOnBoth } from '../harness/databases.ts'
import { rows } from '../harness/expect.ts'
import { createIssue, issueWorld } from './issue-world.ts'

const DESK = '/repos/ann/desk/issues'

describeOnBoth('stopwatches', (on) => {
  let now = Date.parse('2026-01-02T03:04:05Z')
  const given = issueWorld({ on, clock: { now: () => now } })

  it('run one at a time per user; starting another records the time of the first', async () => {
    const { ann, server } = given
    const [one, two] = [await createIssue(ann), await createIssue(ann)]
    const start = (n: number) => ann.client.post(`${DESK}/${n}/stopwatch/start`)
    const started = await start(one.number)
    expect([started.status, started.json]).toEqual([
      201,
      {
        created: '2026-01-02T03:04:05Z',
        seconds: 0,
        duration: '',
        issue_index: one.number,
        issue_title: 'An issue',
        repo_owner_name: 'ann',
        repo_name: 'desk',
      },
    ])
    const again = await start(one.number)
    expect([again.status, again.json.message]).toEqual([409, 'cannot start a stopwatch again if it already exists'])
    now += 61_500
    const running = await ann.client.get('/user/stopwatches')
    expect(running.json).toMatchObject([{ seconds: 61, duration: '1 minute', issue_index: one.number }])
    expect((await start(two.number)).status).toBe(201)
    expect((await ann.client.get('/user/stopwatches')).json).toMatchObject([{ seconds: 0, issue_index: two.number }])
    expect((await ann.client.get(`${DESK}/${one.number}/times`)).json).toMatchObject([{ time: 61, user_name: 'ann' }])
    const stopped = await ann.client.post(`${DESK}/${two.number}/stopwatch/stop`)
    expect([stopped.status, stopped.json.seconds]).toEqual([201, 0])
    expect((await ann.client.get(`${DESK}/${two.number}/times`)).json).toMatchObject([{ time: 0 }])
    const entries = (await rows(server, 'timeline_entry')).map(({ kind, body, issue_id: id }) => [kind, body, id])
    expect(entries).toEqual([
      ['start_tracking', '', one.id],
      ['stop_tracking', '1 minute', one.id],
      ['start_tracking', '', two.id],
      ['stop_tracking', '', two.id],
    ])
  })

  it('are stopped and cancelled once', async () => {
    const { ann, server } = given
    const { number, id } = await createIssue(ann)
    const path = `${DESK}/${number}/stopwatch`
    const stop = await ann.client.post(`${path}/stop`)
    expect([stop.status, stop.json.message]).toEqual([409, 'cannot stop a non-existent stopwatch'])
    await ann.client.post(`${path}/start`)
    expect((await ann.client.delete(`${path}/delete`)).status).toBe(204)
    const cancel = await ann.client.delete(`${path}/delete`)
    expect([cancel.status, cancel.json.message]).toEqual([409, 'cannot cancel a non-existent stopwatch'])
    expect((await ann.client.get(`${DESK}/${number}/times`)).json).toEqual([])
    const kinds = (await rows(server, 'timeline_entry', { issue_id: id })).map(({ kind }) => kind)
    expect(kinds).toEqual(['start_tracking', 'cancel_tracking'])
  })

  it('of the user who closes the issue stop; those of others continue', async () => {
    const { ann, wes } = given
    const { number } = await createIssue(ann)
    for (const person of [ann, wes]) await person.client.post(`${DESK}/${number}/stopwatch/start`)
    now += 5000
    expect((await ann.client.patch(`${DESK}/${number}`, { state: 'closed' })).status).toBe(201)
    expect((await ann.client.get('/user/stopwatches')).json).toEqual([])
    expect((await wes.client.get('/user/stopwatches')).json).toHaveLength(1)
    expect((await ann.client.get(`${DESK}/${number}/times`)).json).toMatchObject([{ time: 5, user_name: 'ann' }])
  })

  it('run once under concurrent starts', async () => {
    const { ann } = given
    const issues = await Promise.all([1, 2, 3, 4].map(() => createIssue(ann)))
    const starts = [...issues, ...issues].map(({ number }) => ann.client.post(`${DESK}/${number}/stopwatch/start`))
    for (const answer of await Promise.all(starts)) expect([201, 409]).toContain(answer.status)
    expect((await ann.client.get('/user/stopwatches')).json).toHaveLength(1)
  })
})

describe('permissions for stopwatches', () => {
  const given = issueWorld()

  it('include writers; stopwatches on unreadable issues are hidden', async () => {
    const { ann, bob, wes, server } = given
    const { number } = await createIssue(bob)
    const path = `${DESK}/${number}/stopwatch/start`
    const refused = await bob.client.post(path)
    expect([refused.status, refused.json.message]).toEqual([403, ''])
    expect((await server.anonymous.post(path)).status).toBe(401)
    expect((await wes.client.post(path)).status).toBe(201)
    await ann.client.patch('/repos/ann/desk', { private: true })
    expect((await wes.client.get('/user/stopwatches')).json).toHaveLength(1)
    await ann.client.delete('/repos/ann/desk/collaborators/wes')
    expect((await wes.client.get('/user/stopwatches')).json).toEqual([])
    await ann.client.delete(`${DESK}/${number}`)
    expect(await rows(server, 'stopwatch')).toEqual([])
  })
})
