import { describe, expect, it } from 'vitest'
import type { Any } from '../../harness/client.ts'
import { rows } from '../../harness/expect.ts'
import { createLabel, labelWorld } from './label-world.ts'

describe('labels of new repositories', () => {
  const given = labelWorld()

  it('are those of the requested set', async () => {
    expect((await given.ann.client.post('/user/repos', { name: 'none', issue_labels: 'Strange' })).status).toBe(422)
    expect((await given.ann.client.get('/repos/ann/none')).status).toBe(404)
    expect((await given.ann.client.post('/user/repos', { name: 'ready', issue_labels: 'Advanced' })).status).toBe(201)
    const set = (await given.ann.client.get('/label/templates/Advanced')).json as Any[]
    const labels = (await given.ann.client.get('/repos/ann/ready/labels?limit=50')).json as Any[]
    const plain = labels.map(({ name, color, exclusive, description }) => ({ name, color, exclusive, description }))
    expect(plain.toSorted((a, b) => (a.name < b.name ? -1 : 1))).toEqual(
      set.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    )
  })

  it('are those of the template, on request', async () => {
    await given.server.world.repo({ owner: given.ann, name: 'tpl', isTemplate: true })
    await createLabel(given.ann, '/repos/ann/tpl/labels', { name: 'kind/one', description: 'L', exclusive: true })
    await createLabel(given.ann, '/repos/ann/tpl/labels', { name: 'past', is_archived: true })
    expect(
      (await given.bob.client.post('/repos/ann/tpl/generate', { owner: 'bob', name: 'copy', labels: true })).status,
    ).toBe(201)
    expect((await given.bob.client.get('/repos/bob/copy/labels')).json).toMatchObject([
      { name: 'kind/one', description: 'L', exclusive: true, color: '112233' },
      { name: 'past', is_archived: true },
    ])
    expect(
      (await given.bob.client.post('/repos/ann/tpl/generate', { owner: 'bob', name: 'bare', topics: true })).status,
    ).toBe(201)
    expect((await given.bob.client.get('/repos/bob/bare/labels')).json).toEqual([])
  })

  it('are not copied to forks, and are transferred and deleted with the repository', async () => {
    const count = async () => (await rows(given.server, 'label')).length
    await given.server.world.repo({ owner: given.ann, name: 'moving', autoInit: true })
    const before = await count()
    const { id } = await createLabel(given.ann, '/repos/ann/moving/labels', { name: 'stays' })
    expect((await given.bob.client.post('/repos/ann/moving/forks', { name: 'forked' })).status).toBe(202)
    expect((await given.bob.client.get('/repos/bob/forked/labels')).json).toEqual([])
    expect((await given.ann.client.post('/repos/ann/moving/transfer', { new_owner: 'guild' })).status).toBe(202)
    expect((await given.ann.client.get(`/repos/guild/moving/labels/${id}`)).json.url).toContain(
      '/repos/guild/moving/labels/',
    )
    expect((await given.ann.client.delete('/repos/guild/moving')).status).toBe(204)
    expect(await count()).toBe(before)
  })

  it('of an organization are deleted with it', async () => {
    await given.server.world.org('brief', { owner: given.ann })
    const { id } = await createLabel(given.ann, '/orgs/brief/labels', { name: 'gone' })
    expect((await given.ann.client.delete('/orgs/brief')).status).toBe(204)
    expect(await rows(given.server, 'label', { id })).toEqual([])
  })
})
