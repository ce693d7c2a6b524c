import { describe, expect, it } from 'vitest'
import { describeOnBoth } from '../harness/databases.ts'
import type { Any } from '../harness/client.ts'
import { rows } from '../harness/expect.ts'
import type { Person } from '../harness/world.ts'
import { createIssue, issueWorld } from './issue-world.ts'

const DESK = '/repos/ann/desk/issues'
const pinned = async (person: Person): Promise<[number, number][]> =>
  (await person.client.get(`${DESK}/pinned`)).json.map((issue: Any) => [issue.number, issue.pin_order])

describeOnBoth('pinned issues', (on) => {
  const given = issueWorld({ on, settings: { 'issue.max_pinned': '4' } })

  it('have positions without gaps after pins, moves, unpins and deletions', async () => {
    const { ann, server } = given
    const pin = async (n: number) => (await ann.client.post(`${DESK}/${n}/pin`)).status
    const move = async (n: number, to: number) => (await ann.client.patch(`${DESK}/${n}/pin/${to}`)).status
    for (let n = 1; n <= 5; n++) await createIssue(ann)
    expect([await pin(1), await pin(2), await pin(3), await pin(2)]).toEqual([204, 204, 204, 204])
    expect((await server.anonymous.get('/repos/ann/desk/new_pin_allowed')).json).toEqual({
      issues: true,
      pull_requests: true,
    })
    expect(await pin(4)).toBe(204)
    const refused = await ann.client.post(`${DESK}/5/pin`)
    expect([refused.status, refused.json.message]).toEqual([400, 'the max number of pinned issues has been readched'])
    expect((await server.anonymous.get('/repos/ann/desk/new_pin_allowed')).json.issues).toBe(false)
    expect(await move(4, 2)).toBe(204)
    expect(await pinned(ann)).toEqual([1, 4, 2, 3].map((number, at) => [number, at + 1]))
    expect(await move(1, 99)).toBe(204)
    expect(await pinned(ann)).toEqual([4, 2, 3, 1].map((number, at) => [number, at + 1]))
    expect([await move(5, 1), await move(4, 0), await move(99, 1)]).toEqual([204, 400, 404])
    expect((await ann.client.delete(`${DESK}/2/pin`)).status).toBe(204)
    expect((await ann.client.delete(`${DESK}/2/pin`)).status).toBe(204)
    expect((await ann.client.delete(`${DESK}/4`)).status).toBe(204)
    expect(await pinned(ann)).toEqual([3, 1].map((number, at) => [number, at + 1]))
    const entries = (await rows(server, 'timeline_entry')).map(({ kind, issue_id: id }) => [kind, id])
    const ids = await Promise.all([1, 2, 3].map(async (n) => (await ann.client.get(`${DESK}/${n}`)).json.id))
    expect(entries).toEqual([
      ['pin', ids[0]],
      ['pin', ids[1]],
      ['pin', ids[2]],
      ['unpin', ids[1]],
    ])
  })

  it('never exceed the limit and have distinct positions under concurrent changes', async () => {
    const { ann } = given
    for (const { number } of (await ann.client.get(`${DESK}/pinned`)).json)
      await ann.client.delete(`${DESK}/${number}/pin`)
    const numbers = (await Promise.all(Array.from({ length: 8 }, () => createIssue(ann)))).map((issue) => issue.number)
    const pins = await Promise.all(numbers.map((n) => ann.client.post(`${DESK}/${n}/pin`)))
    expect(pins.filter((answer) => answer.status === 204)).toHaveLength(4)
    const four = (await pinned(ann)).map(([number]) => number)
    await Promise.all([
      ...four.map((n, at) => ann.client.patch(`${DESK}/${n}/pin/${4 - at}`)),
      ann.client.delete(`${DESK}/${four[0]}/pin`),
      ann.client.patch(`${DESK}/${four[1]}`, { state: 'closed' }),
    ])
    expect((await pinned(ann)).map(([, position]) => position)).toEqual([1, 2, 3])
  })
})

describe('permissions for pins', () => {
  const given = issueWorld()

  it('let administrators pin and readers list, without pull requests', async () => {
    const { ann, bob, wes, server } = given
    await createIssue(ann)
    const path = `${DESK}/1/pin`
    for (const person of [bob, wes]) {
      expect((await person.client.post(path)).json.message).toBe(
        'user should be an owner or a collaborator with admin write of a repository',
      )
      expect((await person.client.delete(path)).status).toBe(403)
      expect((await person.client.patch(`${path}/1`)).status).toBe(403)
    }
    expect((await server.anonymous.post(path)).status).toBe(401)
    await ann.client.post(path)
    expect((await server.anonymous.get(`${DESK}/pinned`)).json).toMatchObject([{ number: 1, pin_order: 1 }])
    await ann.client.patch('/repos/ann/desk', { has_issues: false })
    expect((await ann.client.get(`${DESK}/pinned`)).status).toBe(404)
    expect((await server.anonymous.get('/repos/ann/desk/new_pin_allowed')).status).toBe(200)
    expect((await server.anonymous.get('/repos/ann/vault/new_pin_allowed')).status).toBe(404)
  })
})
