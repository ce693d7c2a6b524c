import { expect, it } from 'vitest'
import { describeOnBoth } from '../../harness/databases.ts'
import { rows } from '../../harness/expect.ts'
import { createMilestone, milestoneWorld } from './milestone-world.ts'

describeOnBoth('milestones of a repository', (on) => {
  const given = milestoneWorld(on)

  it('are transferred, renamed and deleted with it', async () => {
    await given.server.world.repo({ owner: given.ann, name: 'moving' })
    const made = await createMilestone(given.ann, '/repos/ann/moving/milestones', { title: 'stays' })
    expect((await given.ann.client.post('/repos/ann/moving/transfer', { new_owner: 'guild' })).status).toBe(202)
    expect((await given.ann.client.patch('/repos/guild/moving', { name: 'moved' })).status).toBe(200)
    expect((await given.ann.client.get('/repos/guild/moved/milestones')).json).toEqual([made])
    expect((await given.ann.client.delete('/repos/guild/moved')).status).toBe(204)
    expect(await rows(given.server, 'milestone', { id: made.id })).toEqual([])
    expect(await rows(given.server, 'event', { kind: 'milestone.deleting' })).toEqual([])
  })

  it('are not copied to forks or to generated repositories', async () => {
    await given.server.world.repo({ owner: given.ann, name: 'tpl', isTemplate: true, autoInit: true })
    await createMilestone(given.ann, '/repos/ann/tpl/milestones', { title: 'own' })
    expect((await given.bob.client.post('/repos/ann/tpl/forks', { name: 'forked' })).status).toBe(202)
    const copy = { owner: 'bob', name: 'copy', git_content: true, labels: true, topics: true }
    expect((await given.bob.client.post('/repos/ann/tpl/generate', copy)).status).toBe(201)
    for (const name of ['forked', 'copy'])
      expect((await given.bob.client.get(`/repos/bob/${name}/milestones?state=all`)).json, name).toEqual([])
  })

  it('of a user are deleted with the account', async () => {
    const root = await given.server.world.admin()
    const eve = await given.server.world.user('eve')
    await given.server.world.repo({ owner: eve, name: 'hers' })
    const { id } = await createMilestone(eve, '/repos/eve/hers/milestones', { title: 'gone' })
    expect((await root.client.delete('/admin/users/eve?purge=true')).status).toBe(204)
    expect(await rows(given.server, 'milestone', { id })).toEqual([])
  })
})
