import { describe, expect, it } from 'vitest'
import type { Person } from '../../harness/world.ts'
import { createLabel, labelWorld } from './label-world.ts'

describe('permissions for labels', () => {
  const given = labelWorld()

  const body = { name: 'x', color: '#fff' }

  it('labels of public owners are readable by everyone, writable only by writers', async () => {
    const { id } = await createLabel(given.ann, '/repos/ann/r/labels', { name: 'guarded' })
    expect((await given.server.anonymous.get('/repos/ann/r/labels')).status).toBe(200)
    expect((await given.server.anonymous.get(`/repos/ann/r/labels/${id}`)).status).toBe(200)
    expect((await given.server.anonymous.post('/repos/ann/r/labels', body)).status).toBe(401)
    expect((await given.bob.client.post('/repos/ann/r/labels', body)).json.message).toBe(
      'user should have a permission to write to a repo',
    )
    expect((await given.bob.client.patch(`/repos/ann/r/labels/${id}`, body)).status).toBe(403)
    expect((await given.bob.client.delete(`/repos/ann/r/labels/${id}`)).status).toBe(403)
    for (const answer of [
      await given.bob.client.get('/repos/ann/secret/labels'),
      await given.bob.client.post('/repos/ann/secret/labels', body),
    ])
      expect(answer.status).toBe(404)
    expect((await given.server.anonymous.get('/orgs/guild/labels')).status).toBe(200)
    expect((await given.server.anonymous.get('/orgs/guild/labels/1')).status).toBe(401)
    expect((await given.server.anonymous.post('/orgs/guild/labels', body)).status).toBe(401)
    for (const person of [given.bob, given.cat])
      expect((await person.client.post('/orgs/guild/labels', body)).json.message).toBe('Must be an organization owner')
  })

  it('labels of a private organization are visible only to its members', async () => {
    await given.server.world.org('cabal', { owner: given.ann, visibility: 'private' })
    const { id } = await createLabel(given.ann, '/orgs/cabal/labels', { name: 'hush' })
    for (const client of [given.server.anonymous, given.bob.client]) {
      expect((await client.get('/orgs/cabal/labels')).status).toBe(404)
      expect([401, 404]).toContain((await client.get(`/orgs/cabal/labels/${id}`)).status)
    }
  })

  it('writers of issues or pull requests may change labels of a repository', async () => {
    await given.server.world.repo({ owner: given.guild.org, by: given.ann, name: 'shop' })
    const writers: [Person, string][] = [
      [await given.server.world.user('issuer'), 'repo.issues'],
      [await given.server.world.user('puller'), 'repo.pulls'],
      [await given.server.world.user('coder'), 'repo.code'],
    ]
    for (const [person, unit] of writers) {
      const team = await given.ann.client.post('/orgs/guild/teams', {
        name: person.name,
        units_map: { [unit]: 'write' },
        permission: 'write',
      })
      expect(team.status).toBe(201)
      await given.ann.client.put(`/teams/${team.json.id}/members/${person.name}`)
      await given.ann.client.put(`/teams/${team.json.id}/repos/guild/shop`)
      expect(
        (await person.client.post('/repos/guild/shop/labels', { name: unit, color: '#123456' })).status,
        unit,
      ).toBe(unit === 'repo.code' ? 403 : 201)
    }
  })

  it('labels do not depend on the units of a repository or on its archiving', async () => {
    await given.server.world.repo({ owner: given.ann, name: 'quiet' })
    await given.ann.client.put('/repos/ann/quiet/collaborators/bob', { permission: 'write' })
    expect(
      (await given.ann.client.patch('/repos/ann/quiet', { has_issues: false, has_pull_requests: false })).status,
    ).toBe(200)
    expect((await given.bob.client.get('/repos/ann/quiet/labels')).status).toBe(200)
    expect((await given.bob.client.post('/repos/ann/quiet/labels', body)).status).toBe(403)
    const { id } = await createLabel(given.ann, '/repos/ann/quiet/labels', { name: 'still' })
    expect((await given.ann.client.patch('/repos/ann/quiet', { archived: true })).status).toBe(200)
    expect((await given.ann.client.patch(`/repos/ann/quiet/labels/${id}`, { description: 'yet' })).status).toBe(200)
    expect((await given.ann.client.delete(`/repos/ann/quiet/labels/${id}`)).status).toBe(204)
  })

  it('tokens need the scope of the owner; public-only ones do not reach private repositories', async () => {
    expect((await (await given.ann.withToken('write:repository')).get('/repos/ann/r/labels')).status).toBe(403)
    expect((await (await given.ann.withToken('read:issue')).post('/repos/ann/r/labels', body)).status).toBe(403)
    expect((await (await given.ann.withToken('write:issue')).post('/repos/ann/r/labels', body)).status).toBe(201)
    expect((await (await given.ann.withToken('write:issue')).post('/orgs/guild/labels', body)).status).toBe(403)
    expect((await (await given.ann.withToken('write:organization')).post('/orgs/guild/labels', body)).status).toBe(201)
    expect(
      (await (await given.ann.withToken('public-only', 'read:issue')).get('/repos/ann/secret/labels')).json.message,
    ).toBe('token scope is limited to public issues')
  })
})
