import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeOnBoth } from '../../harness/databases.ts'
import type { Response } from '../../harness/client.ts'
import { startServer, type TestServer } from '../../harness/server.ts'
import type { Organization, Person } from '../../harness/world.ts'

describeOnBoth('requests at the same time', (on) => {
  let server: TestServer
  let root: Person
  let guild: Organization

  beforeAll(async () => {
    server = await startServer({ on })
    root = await server.world.admin()
    guild = await server.world.org('guild', { owner: await server.world.user('ann') })
  })
  afterAll(() => server.close())

  const statuses = (answers: readonly Pick<Response, 'status'>[]): number[] => answers.map(({ status }) => status)

  it('delete a team once, and preserve edits of other members', async () => {
    const { client } = guild.owner
    const [crew, doomed] = [await guild.team('crew'), await guild.team('doomed')]
    await Promise.all([
      client.patch(`/teams/${crew.id}`, { description: 'Sails' }),
      client.patch(`/teams/${crew.id}`, { can_create_org_repo: true }),
      client.patch(`/teams/${crew.id}`, { name: 'sailors' }),
    ])
    expect((await client.get(`/teams/${crew.id}`)).json).toMatchObject({
      name: 'sailors',
      description: 'Sails',
      can_create_org_repo: true,
    })
    const requests = Array.from({ length: 8 }, (_, at) =>
      at % 2 === 0 ? client.delete(`/teams/${doomed.id}`) : client.patch(`/teams/${doomed.id}`, { description: 'x' }),
    )
    const found = statuses(await Promise.all(requests))
    expect(found.filter((status, at) => at % 2 === 0 && status === 204)).toHaveLength(1)
    expect(found.filter((status) => ![200, 204, 404].includes(status))).toEqual([])
  })

  it('do not jointly exceed the limit of repositories', async () => {
    const eve = await server.world.user('eve')
    expect((await root.client.patch('/admin/users/eve', { max_repo_creation: 2 })).status).toBe(200)
    const made = await Promise.all(
      Array.from({ length: 6 }, (_, at) => eve.client.post('/user/repos', { name: `r${at}` })),
    )
    expect(statuses(made).toSorted((a, b) => a - b)).toEqual([201, 201, 403, 403, 403, 403])
    expect((await eve.client.get('/user/repos')).json).toHaveLength(2)
  })

  it('transfer a repository to only one new owner', async () => {
    await server.world.repo({ owner: root, name: 'gift' })
    const owners = ['eve', 'ann', 'guild']
    const answers = await Promise.all(
      owners.map((owner) => root.client.post(`/repos/${root.user.name}/gift/transfer`, { new_owner: owner })),
    )
    expect(statuses(answers).filter((status) => status === 202)).toHaveLength(1)
    const places = await Promise.all(owners.map((owner) => root.client.get(`/repos/${owner}/gift`)))
    expect(statuses(places).toSorted((a, b) => a - b)).toEqual([200, 404, 404])
  })

  it('delete a row that another one edits, which then gets 404', async () => {
    const { client } = guild.owner
    for (const name of ['shortlived', 'ephemeral']) {
      expect((await client.post('/orgs', { username: name })).status).toBe(201)
      const app = { name, redirect_uris: [] }
      const { id } = (await client.post('/user/applications/oauth2', app)).json
      const requests = [`/orgs/${name}`, `/user/applications/oauth2/${id}`].flatMap((path) => [
        client.patch(path, app),
        client.delete(path),
        client.patch(path, app),
        client.delete(path),
      ])
      const unexpected = statuses(await Promise.all(requests)).filter((status) => ![200, 204, 404].includes(status))
      expect(unexpected).toEqual([])
    }
  })
})
