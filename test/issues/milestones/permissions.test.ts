import { expect, it } from 'vitest'
import { describeOnBoth } from '../../harness/databases.ts'
import type { Client, Response } from '../../harness/client.ts'
import { createMilestone, milestoneWorld } from './milestone-world.ts'

describeOnBoth('permissions for milestones', (on) => {
  const given = milestoneWorld(on)

  /** The statuses of all five operations: list, get, create, edit, delete. */
  async function statuses(client: Client, repo: string): Promise<number[]> {
    const path = `/repos/${repo}/milestones`
    const { id } = await createMilestone(given.ann, path, { title: 'guarded' })
    const answers = [
      await client.get(path),
      await client.get(`${path}/${id}`),
      await client.post(path, { title: 'new' }),
      await client.patch(`${path}/${id}`, { title: 'new' }),
      await client.delete(`${path}/${id}`),
    ]
    return answers.map(({ status }) => status)
  }

  const REFUSED = [200, 200, 403, 403, 403]
  const ALLOWED = [200, 200, 201, 200, 204]
  const HIDDEN = [404, 404, 404, 404, 404]

  it('viewers of a repository may read them', async () => {
    expect(await statuses(given.server.anonymous, 'ann/r')).toEqual([200, 200, 401, 401, 401])
    expect(await statuses(given.bob.client, 'ann/r')).toEqual(REFUSED)
    expect(await statuses(given.ann.client, 'ann/r')).toEqual(ALLOWED)
    const refused: Response = await given.bob.client.post('/repos/ann/r/milestones', { title: 'x' })
    expect(JSON.parse(refused.text).message).toBe('user should have a permission to write to a repo')
  })

  it('collaborators with write access and site administrators may change them', async () => {
    await given.server.world.repo({ owner: given.ann, name: 'shared' })
    for (const permission of ['read', 'write', 'admin']) {
      const person = await given.server.world.user(`${permission}-er`)
      await given.ann.client.put(`/repos/ann/shared/collaborators/${person.name}`, { permission })
      expect(await statuses(person.client, 'ann/shared'), permission).toEqual(permission === 'read' ? REFUSED : ALLOWED)
    }
    expect(await statuses((await given.server.world.admin()).client, 'ann/secret')).toEqual(ALLOWED)
  })

  it('a hidden repository is indistinguishable from a missing one', async () => {
    for (const client of [given.server.anonymous, given.bob.client]) {
      expect(await statuses(client, 'ann/secret')).toEqual(HIDDEN)
      const [hidden, missing] = [
        await client.get('/repos/ann/secret/milestones'),
        await client.get('/repos/ann/missing/milestones'),
      ]
      expect([hidden.status, hidden.text]).toEqual([missing.status, missing.text])
      expect(hidden.headers.get('x-ingot-message')).toBe(missing.headers.get('x-ingot-message'))
    }
  })

  it('a team needs write access to issues or pull requests', async () => {
    await given.server.world.repo({ owner: given.guild.org, by: given.ann, name: 'shop' })
    for (const [unit, mode] of [
      ['repo.issues', 'write'],
      ['repo.pulls', 'write'],
      ['repo.code', 'write'],
      ['repo.issues', 'read'],
    ] as const) {
      const person = await given.server.world.user(`${mode}-${unit.slice(5)}`)
      const team = await given.ann.client.post('/orgs/guild/teams', { name: person.name, units_map: { [unit]: mode } })
      expect(team.status).toBe(201)
      await given.ann.client.put(`/teams/${team.json.id}/members/${person.name}`)
      await given.ann.client.put(`/teams/${team.json.id}/repos/guild/shop`)
      const mayWrite = mode === 'write' && unit !== 'repo.code'
      expect(await statuses(person.client, 'guild/shop'), `${unit} ${mode}`).toEqual(mayWrite ? ALLOWED : REFUSED)
    }
  })

  it('they depend neither on the units of a repository nor on its archiving', async () => {
    await given.server.world.repo({ owner: given.ann, name: 'quiet' })
    const units = await given.ann.client.patch('/repos/ann/quiet', { has_issues: false, has_pull_requests: false })
    expect(units.status).toBe(200)
    expect(await statuses(given.bob.client, 'ann/quiet')).toEqual(REFUSED)
    expect(await statuses(given.ann.client, 'ann/quiet')).toEqual(ALLOWED)
    await given.server.world.repo({ owner: given.ann, name: 'archived' })
    await given.ann.client.put('/repos/ann/archived/collaborators/bob', { permission: 'write' })
    expect((await given.ann.client.patch('/repos/ann/archived', { archived: true })).status).toBe(200)
    expect(await statuses(given.bob.client, 'ann/archived')).toEqual(ALLOWED)
  })

  it('tokens need the scope issue; public-only ones do not reach private repositories', async () => {
    const { ann } = given
    expect(await statuses(await ann.withToken('write:repository'), 'ann/r')).toEqual([403, 403, 403, 403, 403])
    expect(await statuses(await ann.withToken('read:issue'), 'ann/r')).toEqual(REFUSED)
    expect(await statuses(await ann.withToken('write:issue'), 'ann/r')).toEqual(ALLOWED)
    const publicOnly = await ann.withToken('public-only', 'write:issue')
    expect(await statuses(publicOnly, 'ann/r')).toEqual(ALLOWED)
    expect((await publicOnly.get('/repos/ann/secret/milestones')).json.message).toBe(
      'token scope is limited to public issues',
    )
    const wrong = await (await ann.withToken('read:issue')).post('/repos/ann/r/milestones', {})
    expect(wrong.json.message).toBe(
      'token does not have at least one of required scope(s), required=[write:issue], token scope=read:issue',
    )
  })
})
