import { expect, it } from 'vitest'
import { describeOnBoth } from '../../harness/databases.ts'
import type { Person } from '../../harness/world.ts'
import { createIssue, issueWorld } from '../../issues/issue-world.ts'

describeOnBoth('subscriptions to issues', (on) => {
  const given = issueWorld({ on })
  const path = (number: number, rest = ''): string => `/repos/ann/desk/issues/${number}/subscriptions${rest}`
  const isSubscribed = async (person: Person, number: number): Promise<boolean> => {
    const { status, json } = await person.client.get(path(number, '/check'))
    expect(status).toBe(200)
    expect(json.ignored).toBe(!json.subscribed)
    return json.subscribed
  }
  const namesOf = async (number: number): Promise<string[]> => {
    const { json, headers } = await given.server.anonymous.get(path(number))
    expect(headers.get('x-total-count')).toBe(String(json.length))
    return json.map((user: { login: string }) => user.login)
  }

  it('follow from watching the repository and from posting', async () => {
    const { number } = await createIssue(given.bob)
    expect(await isSubscribed(given.ann, number)).toBe(true)
    expect(await isSubscribed(given.bob, number)).toBe(true)
    expect(await isSubscribed(given.wes, number)).toBe(false)
    await given.ann.client.patch(`/repos/ann/desk/issues/${number}`, { assignees: ['wes'] })
    expect(await isSubscribed(given.wes, number)).toBe(false)
    expect(await namesOf(number)).toEqual([])
  })

  it('respond with 201 when they change and 200 when they do not, with the present state', async () => {
    const { number, created_at } = await createIssue(given.ann)
    const first = await given.bob.client.put(path(number, '/bob'))
    expect([first.status, first.json]).toEqual([
      201,
      {
        subscribed: true,
        ignored: false,
        reason: null,
        created_at,
        url: `${given.server.url}/api/v1${path(number)}`,
        repository_url: `${given.server.url}/api/v1/repos/ann/desk`,
      },
    ])
    expect((await given.bob.client.put(path(number, '/bob'))).status).toBe(200)
    expect(await namesOf(number)).toEqual(['bob'])
    expect((await given.ann.client.put(path(number, '/ann'))).status).toBe(200)
    expect(await namesOf(number)).toEqual(['bob'])
    const last = await given.bob.client.delete(path(number, '/bob'))
    expect([last.status, last.json.subscribed]).toEqual([201, false])
    expect((await given.bob.client.delete(path(number, '/bob'))).status).toBe(200)
    expect(await namesOf(number)).toEqual([])
    expect((await given.ann.client.delete(path(number, '/ann'))).status).toBe(201)
    expect(await isSubscribed(given.ann, number)).toBe(false)
  })

  it('are changed by the user itself and by site administrators', async () => {
    const { number } = await createIssue(given.ann)
    const refused = await given.ann.client.put(path(number, '/bob'))
    expect([refused.status, refused.json.message]).toEqual([
      403,
      'ann is not permitted to change subscriptions for bob',
    ])
    const root = await given.server.world.admin(`root-${on}`)
    expect((await root.client.put(path(number, '/bob'))).status).toBe(201)
    expect((await root.client.delete(path(number, '/bob'))).status).toBe(201)
    expect((await root.client.put(path(number, '/nobody'))).status).toBe(404)
    await given.server.world.org(`guild-${on}`)
    expect((await root.client.put(path(number, `/guild-${on}`))).status).toBe(404)
    expect((await given.server.anonymous.put(path(number, '/bob'))).status).toBe(401)
    expect((await given.server.anonymous.get(path(number, '/check'))).status).toBe(401)
    expect((await given.bob.client.put(path(99, '/bob'))).status).toBe(404)
  })

  it('of hidden issues respond with 404', async () => {
    const { number } = await createIssue(given.ann, {}, 'ann/vault')
    const hidden = `/repos/ann/vault/issues/${number}/subscriptions`
    expect((await given.bob.client.get(hidden)).status).toBe(404)
    expect((await given.bob.client.get(`${hidden}/check`)).status).toBe(404)
    expect((await given.bob.client.put(`${hidden}/bob`)).status).toBe(404)
    expect((await given.bob.client.delete(`${hidden}/bob`)).status).toBe(404)
  })

  it('are deleted with the issue and with the user', async () => {
    const { number } = await createIssue(given.ann)
    const eve = await given.server.world.user(`eve-${on}`)
    await eve.client.put(path(number, `/${eve.name}`))
    expect(await namesOf(number)).toEqual([eve.name])
    const root = await given.server.world.admin(`chief-${on}`)
    expect((await root.client.delete(`/admin/users/${eve.name}`)).status).toBe(204)
    expect(await namesOf(number)).toEqual([])
    await given.bob.client.put(path(number, '/bob'))
    expect((await given.ann.client.delete(`/repos/ann/desk/issues/${number}`)).status).toBe(204)
    expect((await given.server.anonymous.get(path(number))).status).toBe(404)
  })
})
