import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startServer, type TestServer } from '../../harness/server.ts'
import type { Organization, Person } from '../../harness/world.ts'

const statusOf = async (answer: Promise<{ status: number }>): Promise<number> => (await answer).status

describe('blocking', () => {
  let server: TestServer
  let [ann, bob, cyd, root] = [] as unknown as [Person, Person, Person, Person]
  let guild: Organization

  beforeAll(async () => {
    server = await startServer()
    const { world } = server
    ;[ann, bob, cyd, root] = [
      await world.user('ann'),
      await world.user('bob'),
      await world.user('cyd'),
      await world.admin(),
    ]
    guild = await world.org('guild', { owner: ann })
    await world.repo({ owner: ann, name: 'one', autoInit: true })
    await world.repo({ owner: bob, name: 'two', autoInit: true })
    await world.repo({ owner: guild.org, by: ann, name: 'open', autoInit: true })
  })
  afterAll(() => server.close())

  it('is for signed-in users, owners and tokens of the right scope', async () => {
    for (const path of ['/user/blocks', '/user/list_blocked', '/orgs/guild/blocks'])
      expect(await statusOf(server.anonymous.get(path))).toBe(401)
    expect(await statusOf(server.anonymous.put('/user/block/bob'))).toBe(401)
    expect(await statusOf(bob.client.put('/orgs/guild/blocks/cyd'))).toBe(403)
    expect(await statusOf(bob.client.get('/orgs/guild/list_blocked'))).toBe(403)
    const reader = await ann.withToken('read:user')
    expect(await statusOf(reader.get('/user/blocks'))).toBe(200)
    expect(await statusOf(reader.put('/user/blocks/bob'))).toBe(403)
  })

  it('refuses the actor itself, organizations, members, unknown and hidden accounts, in the form of each family', async () => {
    await server.world.user('shy', { visibility: 'private' })
    await guild.team('crew', { members: [cyd] })
    expect(await statusOf(ann.client.put('/user/blocks/ann'))).toBe(400)
    expect(await statusOf(ann.client.put('/user/block/ann'))).toBe(204)
    expect(await statusOf(ann.client.put('/user/blocks/guild'))).toBe(400)
    expect(await statusOf(ann.client.delete('/user/blocks/guild'))).toBe(400)
    expect(await statusOf(ann.client.put('/user/block/guild'))).toBe(422)
    expect(await statusOf(ann.client.put('/user/unblock/guild'))).toBe(422)
    expect(await statusOf(ann.client.put('/orgs/guild/blocks/cyd'))).toBe(400)
    expect(await statusOf(ann.client.put('/orgs/guild/block/cyd'))).toBe(422)
    expect(await statusOf(root.client.put('/orgs/guild/blocks/root'))).toBe(400)
    for (const name of ['nobody', 'shy']) {
      expect(await statusOf(ann.client.put(`/user/blocks/${name}`))).toBe(404)
      expect(await statusOf(ann.client.put(`/user/block/${name}`))).toBe(404)
    }
    expect((await ann.client.get('/user/blocks')).json).toEqual([])
  })

  it('deletes every relation between the two users, which unblocking does not restore', async () => {
    const { app } = server
    for (const [who, other, repo] of [
      [ann, 'bob', 'bob/two'],
      [bob, 'ann', 'ann/one'],
    ] as const) {
      await who.client.put(`/user/following/${other}`)
      await who.client.put(`/user/starred/${repo}`)
      await who.client.put(`/repos/${repo}/subscription`)
    }
    await ann.client.put('/repos/ann/one/collaborators/bob', { permission: 'write' })
    await bob.client.put('/repos/bob/two/collaborators/ann')
    const { repo } = await app.repos.getInView({ kind: 'anonymous' }, 'ann', 'one')
    await app.database.transaction(async (tx) => {
      await tx
        .insertInto('repo_transfer')
        .values({ repo_id: repo.id, doer_id: ann.user.id, recipient_id: bob.user.id, created_at: 1 })
        .execute()
    })

    expect(await statusOf(ann.client.put('/user/blocks/bob?note=too+loud'))).toBe(204)
    expect(await statusOf(ann.client.put('/user/blocks/bob'))).toBe(400)
    expect(await statusOf(ann.client.put('/user/block/bob'))).toBe(204)
    expect(await statusOf(ann.client.get('/user/blocks/bob'))).toBe(204)
    expect(await statusOf(bob.client.get('/user/blocks/ann'))).toBe(404)
    const list = await ann.client.get('/user/blocks')
    expect(list.headers.get('x-total-count')).toBe('1')
    expect(list.json[0].login).toBe('bob')
    expect((await ann.client.get('/user/list_blocked')).json[0].block_id).toBe(bob.user.id)

    for (const [who, other, name] of [
      [ann, 'bob', 'bob/two'],
      [bob, 'ann', 'ann/one'],
    ] as const) {
      expect(await statusOf(who.client.get(`/user/following/${other}`))).toBe(404)
      expect(await statusOf(who.client.get(`/user/starred/${name}`))).toBe(404)
      expect(await statusOf(who.client.get(`/repos/${name}/subscription`))).toBe(404)
      const { stars_count, watchers_count } = (await who.client.get(`/repos/${name}`)).json
      expect([stars_count, watchers_count]).toEqual([0, 1])
      const { followers_count, following_count, starred_repos_count } = (await who.client.get('/user')).json
      expect([followers_count, following_count, starred_repos_count]).toEqual([0, 0, 0])
    }
    expect(await statusOf(ann.client.get('/repos/ann/one/collaborators/bob'))).toBe(404)
    expect(await statusOf(bob.client.get('/repos/bob/two/collaborators/ann'))).toBe(404)
    expect((await ann.client.get('/repos/ann/one')).json.repo_transfer).toBeNull()

    expect(await statusOf(ann.client.delete('/user/blocks/cyd'))).toBe(400)
    expect(await statusOf(ann.client.put('/user/unblock/cyd'))).toBe(204)
    expect(await statusOf(ann.client.delete('/user/blocks/bob'))).toBe(204)
    expect(await statusOf(bob.client.get('/user/starred/ann/one'))).toBe(404)
    expect(await statusOf(bob.client.put('/user/following/ann'))).toBe(204)
  })

  it('refuses every new relation between them', async () => {
    await ann.client.put('/user/block/bob')
    const refused = [
      bob.client.put('/user/following/ann'),
      ann.client.put('/user/following/bob'),
      bob.client.put('/user/starred/ann/one'),
      bob.client.put('/repos/ann/one/subscription'),
      bob.client.post('/repos/ann/one/forks', {}),
      ann.client.put('/repos/ann/one/collaborators/bob', {}),
      bob.client.put('/repos/bob/two/collaborators/ann', {}),
    ]
    for (const answer of await Promise.all(refused)) {
      expect(answer.status).toBe(403)
      expect(answer.text).toContain('user is blocked')
    }
    expect(await statusOf(bob.client.get('/repos/ann/one'))).toBe(200)
    expect(await statusOf(ann.client.put('/user/starred/bob/two'))).toBe(204)
  })

  it('keeps blocked users out of the organization and its repositories', async () => {
    await bob.client.put('/user/starred/guild/open')
    const team = await guild.team('night')
    expect(await statusOf(root.client.put('/orgs/guild/blocks/bob'))).toBe(204)
    expect(await statusOf(bob.client.get('/user/starred/guild/open'))).toBe(404)
    expect(await statusOf(bob.client.post('/repos/guild/open/forks', {}))).toBe(403)
    expect(await statusOf(ann.client.put(`/teams/${team.id}/members/bob`))).toBe(403)
    expect(await statusOf(ann.client.put('/repos/guild/open/collaborators/bob', {}))).toBe(403)
    expect(await statusOf(ann.client.put('/orgs/guild/unblock/bob'))).toBe(204)
    expect(await statusOf(ann.client.put(`/teams/${team.id}/members/bob`))).toBe(204)
  })

  it('of a site administrator is stored without effect, and can be removed', async () => {
    expect(await statusOf(cyd.client.put('/user/blocks/root'))).toBe(204)
    expect(await statusOf(root.client.put('/user/following/cyd'))).toBe(204)
    expect(await statusOf(cyd.client.delete('/user/blocks/root'))).toBe(204)
  })
})
