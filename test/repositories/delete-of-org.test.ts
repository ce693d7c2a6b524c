import { expect, it } from 'vitest'
import { describeOnBoth } from '../harness/databases.ts'
import { startServer } from '../harness/server.ts'

describeOnBoth('deleting all repositories of an organization', (kind) => {
  it('is done in the background with the rights that the requester then has', async () => {
    const server = await startServer({ on: kind })
    try {
      const [ann, bob] = [await server.world.user('ann'), await server.world.user('bob')]
      await server.world.org('crew', { owner: ann })
      const create = (name: string) => ann.client.post('/orgs/crew/repos', { name })
      const names = async (): Promise<string[]> =>
        (await ann.client.get('/orgs/crew/repos')).json.map((repo: { name: string }) => repo.name)
      expect((await ann.client.delete('/orgs/crew/repos')).status).toBe(204)
      for (const name of ['one', 'two', 'three']) expect((await create(name)).status).toBe(201)
      expect((await server.anonymous.delete('/orgs/crew/repos')).status).toBe(401)
      expect((await bob.client.delete('/orgs/crew/repos')).status).toBe(403)
      expect((await ann.client.delete('/orgs/nothing/repos')).status).toBe(404)
      const accepted = await ann.client.delete('/orgs/crew/repos')
      expect([accepted.status, accepted.json]).toEqual([202, { repositories: 3 }])
      await create('later')
      await server.drain()
      expect(await names()).toEqual(['later'])

      const owners = (await ann.client.get('/orgs/crew/teams')).json[0].id
      await ann.client.put(`/teams/${owners}/members/bob`)
      expect((await bob.client.delete('/orgs/crew/repos')).status).toBe(202)
      await ann.client.delete(`/teams/${owners}/members/bob`)
      await server.drain()
      expect(await names(), 'the requester is no owner any more').toEqual(['later'])
    } finally {
      await server.close()
    }
  })
})
