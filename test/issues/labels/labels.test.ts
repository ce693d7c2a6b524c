import { describe, expect, it } from 'vitest'
import { expectEvents, lastEventId, row } from '../../harness/expect.ts'
import { createLabel, labelWorld, namesOf } from './label-world.ts'

describe.each([
  ['a repository', '/repos/ann/r/labels', '/repos/ann/missing/labels'],
  ['an organization', '/orgs/guild/labels', '/orgs/missing/labels'],
])('labels of %s', (_, path, missing) => {
  const given = labelWorld()

  it('are created, read, edited and deleted', async () => {
    const mark = await lastEventId(given.server)
    const body = { name: 'kind/bug', description: 'Breaks', exclusive: true }
    const made = await createLabel(given.ann, path, { ...body, color: ' 0aF ' })
    expect(made).toEqual({
      ...body,
      id: made.id,
      color: '00aaff',
      is_archived: false,
      url: `${given.server.url}/api/v1${path}/${made.id}`,
    })
    for (const key of [made.id, 'kind%2Fbug'])
      expect((await given.ann.client.get(`${path}/${key}`)).json, String(key)).toEqual(made)
    expect((await given.ann.client.patch(`${path}/${made.id}`, {})).json).toEqual(made)
    const edited = { name: 'kind/fault', color: 'ffffff', description: '', exclusive: false }
    const answer = await given.ann.client.patch(`${path}/${made.id}`, { ...edited, color: '#FFF' })
    expect(answer.json).toEqual({ ...made, ...edited })
    expect((await given.ann.client.delete(`${path}/${made.id}`)).status).toBe(204)
    expect((await given.ann.client.get(`${path}/${made.id}`)).status).toBe(404)
    const [before, after] = [
      { label_id: made.id, name: 'kind/bug' },
      { label_id: made.id, name: 'kind/fault' },
    ]
    await expectEvents(given.server, { after: mark }, [
      ['label.created', before],
      ['label.edited', before],
      ['label.edited', after],
      ['label.deleted', after],
    ])
  })

  it('require a colour and a name', async () => {
    const { id } = await createLabel(given.ann, path, { name: 'plain' })
    for (const color of ['red', '#12345', '##123456', '']) {
      expect((await given.ann.client.post(path, { name: 'x', color })).status, color).toBe(422)
      expect((await given.ann.client.patch(`${path}/${id}`, { color })).status, color).toBe(422)
    }
    for (const [body, message] of [
      [{ color: '#123456' }, '[Name]: Required'],
      [{ name: 'x' }, '[Color]: Required'],
      [{ name: ' ', color: '#123456' }, '[Name]: Required'],
      [{ name: 'x'.repeat(256), color: '#123456' }, '[Name]: MaxSize (at most 255 characters)'],
    ] as const) {
      expect((await given.ann.client.post(path, body)).json.message).toBe(message)
    }
    expect((await given.ann.client.patch(`${path}/${id}`, { name: '' })).status).toBe(422)
    expect((await given.ann.client.get(`${path}/${id}`)).json.name).toBe('plain')
  })

  it('preserve the time when they were first archived', async () => {
    const { id } = await createLabel(given.ann, path, { name: 'old', is_archived: true })
    const time = async () => (await row(given.server, 'label', { id })).archived_at
    const archivedAt = await time()
    expect(archivedAt).toBeGreaterThan(0)
    expect((await given.ann.client.patch(`${path}/${id}`, { description: 'kept' })).json.is_archived).toBe(true)
    await given.ann.client.patch(`${path}/${id}`, { is_archived: true })
    expect(await time()).toBe(archivedAt)
    expect((await given.ann.client.patch(`${path}/${id}`, { is_archived: false })).json.is_archived).toBe(false)
    expect(await time()).toBe(0)
  })

  it('that do not exist are 204 for DELETE, 404 otherwise', async () => {
    for (const id of ['99999999', 'x', '0', '-1', '999999999999999999999']) {
      expect((await given.ann.client.delete(`${path}/${id}`)).status, id).toBe(204)
      expect((await given.ann.client.get(`${path}/${id}`)).status, id).toBe(404)
      expect((await given.ann.client.patch(`${path}/${id}`, { name: 'x' })).status, id).toBe(404)
    }
    expect((await given.ann.client.get(missing)).status).toBe(404)
    expect((await given.ann.client.post(missing, { name: 'x', color: '#fff' })).status).toBe(404)
  })
})

describe('lists of labels', () => {
  const given = labelWorld()

  it('are sorted, paged and counted, without a Link', async () => {
    const path = '/orgs/paged/labels'
    await given.server.world.org('paged', { owner: given.ann })
    for (const name of ['b', 'c', 'a', 'b']) await createLabel(given.ann, path, { name })
    expect(namesOf(await given.server.anonymous.get(path))).toEqual(['a', 'b', 'b', 'c'])
    expect(namesOf(await given.server.anonymous.get(`${path}?sort=reversealphabetically`))).toEqual([
      'c',
      'b',
      'b',
      'a',
    ])
    expect(namesOf(await given.server.anonymous.get(`${path}?sort=strange`))).toEqual(['a', 'b', 'b', 'c'])
    const page = await given.server.anonymous.get(`${path}?limit=3&page=2`)
    expect(namesOf(page)).toEqual(['c'])
    expect(page.headers.get('x-total-count')).toBe('4')
    expect(page.headers.get('link')).toBeNull()
    const counts = given.server.app.database
    await counts.transaction((tx) =>
      tx
        .updateTable('label')
        .set({ issues_count: 5 })
        .where('name', '=', 'c')
        .execute()
        .then(() => undefined),
    )
    expect(namesOf(await given.server.anonymous.get(`${path}?sort=mostissues`))).toEqual(['c', 'b', 'a', 'b'])
    expect(namesOf(await given.server.anonymous.get(`${path}?sort=leastissues`))).toEqual(['b', 'a', 'b', 'c'])
  })

  it('of a repository do not include those of its organization', async () => {
    const repo = await given.server.world.repo({ owner: given.guild.org, by: given.ann, name: 'works' })
    const { id } = await createLabel(given.ann, '/orgs/guild/labels', { name: 'shared' })
    await createLabel(given.ann, '/repos/guild/works/labels', { name: 'own' })
    expect(namesOf(await given.server.anonymous.get('/repos/guild/works/labels'))).toEqual(['own'])
    for (const key of [id, 'shared'])
      expect((await given.server.anonymous.get(`/repos/guild/works/labels/${key}`)).status).toBe(404)
    expect((await given.ann.client.delete(`/repos/guild/works/labels/${id}`)).status).toBe(204)
    expect((await given.ann.client.get(`/orgs/guild/labels/${id}`)).status).toBe(200)
    expect(repo.name).toBe('works')
  })
})
