import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startServer, type TestServer } from '../harness/server.ts'
import type { Organization, Person } from '../harness/world.ts'

describe('teams of a repository', () => {
  let server: TestServer
  let ann: Person
  let bob: Person
  let guild: Organization

  beforeAll(async () => {
    server = await startServer()
    ann = await server.world.user('ann')
    bob = await server.world.user('bob')
    guild = await server.world.org('guild', { owner: ann })
    await server.world.repo({ owner: guild.org, by: ann, name: 'r', isPrivate: true, autoInit: true })
    await server.world.repo({ owner: ann, name: 'own' })
    await guild.team('crew', { members: [bob] })
    await guild.team('all', { includesAllRepositories: true })
  })
  afterAll(() => server.close())

  it('are hidden with the repository and exist only in organizations', async () => {
    expect((await server.anonymous.get('/repos/ann/own/teams')).status).toBe(401)
    expect((await bob.client.get('/repos/guild/r/teams')).status).toBe(404)
    expect((await ann.client.get('/repos/ann/own/teams')).json.message).toBe('repo is not owned by an organization')
    expect((await ann.client.put('/repos/ann/own/teams/crew')).status).toBe(405)
    expect((await ann.client.put('/repos/guild/r/teams/none')).status).toBe(404)
  })

  it('grant and withdraw access, and add and delete watches', async () => {
    expect((await ann.client.put('/repos/guild/r/teams/CREW')).status).toBe(204)
    expect((await ann.client.put('/repos/guild/r/teams/crew')).json.message).toBe(
      "team 'crew' is already added to repo",
    )
    const seen = await bob.client.get('/repos/guild/r')
    expect([seen.status, seen.json.watchers_count]).toEqual([200, 2])
    expect((await ann.client.get('/repos/guild/r/teams')).json.map((team: { name: string }) => team.name)).toEqual([
      'Owners',
      'all',
      'crew',
    ])
    expect((await bob.client.get('/repos/guild/r/teams/crew')).json).toMatchObject({ name: 'crew', organization: null })
    expect((await bob.client.put('/repos/guild/r/teams/all')).status).toBe(403)
    expect((await ann.client.delete('/repos/guild/r/teams/crew')).status).toBe(204)
    expect((await ann.client.delete('/repos/guild/r/teams/crew')).json.message).toBe(
      "team 'crew' was not added to repo",
    )
    expect((await ann.client.delete('/repos/guild/r/teams/all')).status).toBe(204)
    expect((await ann.client.get('/repos/guild/r')).json.watchers_count).toBe(1)
    expect((await bob.client.get('/repos/guild/r')).status).toBe(404)
  })

  it('can be changed only by owners if the organization is configured so', async () => {
    await ann.client.put('/repos/guild/r/collaborators/bob', { permission: 'admin' })
    expect((await bob.client.put('/repos/guild/r/teams/crew')).json.message).toBe('user is nor repo admin nor owner')
    const boss = await server.world.user('boss')
    await guild.team('bosses', { permission: 'admin', includesAllRepositories: true, members: [boss] })
    expect((await boss.client.put('/repos/guild/r/teams/crew')).status).toBe(204)
    expect((await boss.client.delete('/repos/guild/r/teams/crew')).status).toBe(204)
    await ann.client.patch('/orgs/guild', { repo_admin_change_team_access: true })
    expect((await bob.client.put('/repos/guild/r/teams/crew')).status).toBe(204)
  })
})
