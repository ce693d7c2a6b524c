import { beforeAll, expect, it } from 'vitest'
import { describeOnBoth } from '../../harness/databases.ts'
import { createMilestone, milestoneWorld, titlesOf } from './milestone-world.ts'

const PATH = '/repos/ann/r/milestones'

describeOnBoth('lists of milestones', (on) => {
  const given = milestoneWorld(on)
  const list = (query: string) => given.server.anonymous.get(`${PATH}?${query}`)

  beforeAll(async () => {
    for (const body of [
      { title: 'late', due_on: '2040-01-01T00:00:00Z' },
      { title: 'no date b' },
      { title: 'before 1970', due_on: '1960-01-01T00:00:00Z' },
      { title: 'shipped', due_on: '2020-01-01T00:00:00Z', state: 'closed' },
      { title: 'Équinoxe 100%', due_on: '2030-01-01T00:00:00Z' },
      { title: 'same b', due_on: '2035-01-01T00:00:00Z' },
      { title: 'same a', due_on: '2035-01-01T00:00:00Z' },
      { title: 'no date a' },
      { title: 'cancelled', state: 'closed' },
    ])
      await createMilestone(given.ann, PATH, body)
    await createMilestone(given.ann, '/repos/ann/other/milestones', { title: 'foreign' })
  })

  const OPEN = ['no date a', 'no date b', 'before 1970', 'Équinoxe 100%', 'same a', 'same b', 'late']

  it('contain open milestones by due date, those without one first, then by title', async () => {
    for (const query of ['', 'state=open', 'state=sideways', 'state=', 'state=CLOSED'])
      expect(titlesOf(await list(query)), query).toEqual(OPEN)
  })

  it('contain closed or all milestones on request', async () => {
    expect(titlesOf(await list('state=closed'))).toEqual(['cancelled', 'shipped'])
    expect(titlesOf(await list('state=all'))).toEqual(['cancelled', ...OPEN.slice(0, 3), 'shipped', ...OPEN.slice(3)])
  })

  it('are filtered by a part of the title, case-insensitively', async () => {
    const found = async (name: string, more = '') => titlesOf(await list(`name=${encodeURIComponent(name)}${more}`))
    expect(await found('NO DATE')).toEqual(['no date a', 'no date b'])
    expect(await found('éQUI')).toEqual(['Équinoxe 100%'])
    expect(await found('0%')).toEqual(['Équinoxe 100%'])
    for (const name of ['none such', 'sa_e', 'same%', '\\', 'cancel']) expect(await found(name), name).toEqual([])
    expect(await found('cancel', '&state=all')).toEqual(['cancelled'])
    expect(await found('')).toEqual(OPEN)
    expect((await list(`name=${'x'.repeat(256)}`)).json.message).toBe('[Name]: MaxSize (at most 255 characters)')
  })

  it('are paged and counted, without a Link', async () => {
    const page = await list('limit=3&page=2')
    expect(titlesOf(page)).toEqual(OPEN.slice(3, 6))
    expect(page.headers.get('x-total-count')).toBe('7')
    expect(page.headers.get('link')).toBeNull()
    const end = await list('state=all&limit=3&page=4')
    expect([titlesOf(end), end.headers.get('x-total-count')]).toEqual([[], '9'])
    expect((await list('state=closed&limit=1')).headers.get('x-total-count')).toBe('2')
    expect((await list('name=date&limit=1')).headers.get('x-total-count')).toBe('2')
    expect(titlesOf(await list('limit=0&page=-1'))).toEqual(OPEN)
  })

  it('sort equal titles with equal due dates by id', async () => {
    const path = '/repos/ann/other/milestones'
    const ids: number[] = []
    for (let i = 0; i < 3; i++) ids.push((await createMilestone(given.ann, path, { title: 'equal' })).id)
    const answer = await given.ann.client.get(`${path}?name=equal`)
    expect(answer.json.map((milestone: { id: number }) => milestone.id)).toEqual(ids)
  })

  it('have at most 50 items', async () => {
    await given.server.world.repo({ owner: given.ann, name: 'many' })
    for (let i = 0; i < 51; i++) await createMilestone(given.ann, '/repos/ann/many/milestones', { title: `m${i}` })
    expect(titlesOf(await given.ann.client.get('/repos/ann/many/milestones'))).toHaveLength(30)
    expect(titlesOf(await given.ann.client.get('/repos/ann/many/milestones?limit=1000'))).toHaveLength(50)
  })
})
