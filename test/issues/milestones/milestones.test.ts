import { expect, it } from 'vitest'
import { describeOnBoth } from '../../harness/databases.ts'
import { expectEvents, lastEventId, row } from '../../harness/expect.ts'
import { createMilestone, milestoneWorld } from './milestone-world.ts'

const PATH = '/repos/ann/r/milestones'
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/

describeOnBoth('milestones', (on) => {
  const given = milestoneWorld(on)

  it('are created, read, edited and deleted', async () => {
    const mark = await lastEventId(given.server)
    const body = { title: 'spring', description: 'First steps', due_on: '2031-01-02T03:04:05Z' }
    const made = await createMilestone(given.ann, PATH, { ...body, title: ' spring\t' })
    expect(made).toEqual({
      ...body,
      id: made.id,
      state: 'open',
      open_issues: 0,
      closed_issues: 0,
      created_at: expect.stringMatching(TIME),
      updated_at: made.created_at,
      closed_at: null,
    })
    for (const key of [made.id, 'spring'])
      expect((await given.server.anonymous.get(`${PATH}/${key}`)).json, String(key)).toEqual(made)
    const edited = { title: 'summer', description: '', due_on: '2032-02-03T04:05:06Z' }
    const answer = await given.ann.client.patch(`${PATH}/spring`, { ...edited, title: ' summer ' })
    expect([answer.status, answer.json]).toEqual([200, { ...made, ...edited, updated_at: expect.stringMatching(TIME) }])
    expect((await given.ann.client.delete(`${PATH}/summer`)).status).toBe(204)
    expect((await given.ann.client.get(`${PATH}/${made.id}`)).status).toBe(404)
    expect((await given.ann.client.delete(`${PATH}/${made.id}`)).status).toBe(404)
    const payload = { milestone_id: made.id, title: 'spring' }
    await expectEvents(given.server, { after: mark }, [
      ['milestone.created', payload],
      ['milestone.edited', { ...payload, title: 'summer' }],
      ['milestone.deleting', { ...payload, title: 'summer' }],
    ])
  })

  it('are not changed by absent or null members or an empty title', async () => {
    const body = { title: 'kept', description: 'Text', due_on: '2031-01-02T03:04:05Z', state: 'closed' }
    const made = await createMilestone(given.ann, PATH, body)
    for (const edit of [{}, { title: '', description: null, state: null, due_on: null }, { title: ' ' }]) {
      const { updated_at: at, ...json } = (await given.ann.client.patch(`${PATH}/${made.id}`, edit)).json
      const { updated_at: before, ...rest } = made
      expect(json, JSON.stringify(edit)).toEqual(rest)
      expect(Date.parse(at)).toBeGreaterThanOrEqual(Date.parse(before))
    }
  })

  it('are closed and reopened, and may be created closed', async () => {
    const done = await createMilestone(given.ann, PATH, { title: 'done', state: 'closed' })
    expect(done).toMatchObject({ state: 'closed', closed_at: done.created_at })
    for (const state of ['open', 'Closed', 'all', '']) {
      const made = await createMilestone(given.ann, PATH, { title: 'x', state })
      expect(made, state).toMatchObject({ state: 'open', closed_at: null })
      await given.ann.client.patch(`${PATH}/${made.id}`, { state: 'closed' })
      const opened = (await given.ann.client.patch(`${PATH}/${made.id}`, { state })).json
      expect(opened, state).toMatchObject({ state: 'open', closed_at: null })
    }
    const closedAt = async () => (await row(given.server, 'milestone', { id: done.id })).closed_at
    const first = await closedAt()
    expect((await given.ann.client.patch(`${PATH}/${done.id}`, { state: 'closed' })).json.closed_at).toBe(
      done.closed_at,
    )
    expect(await closedAt()).toBe(first)
    await given.ann.client.patch(`${PATH}/${done.id}`, { state: 'open' })
    await given.ann.client.patch(`${PATH}/${done.id}`, { state: 'closed' })
    expect(await closedAt()).toBeGreaterThan(first)
  })

  it('are removed from their issues when they are deleted', async () => {
    const { id } = await createMilestone(given.ann, PATH, { title: 'short' })
    const issues = PATH.replace(/milestones$/, 'issues')
    const issue = await given.ann.client.post(issues, { title: 'Planned', milestone: id })
    expect(issue.json.milestone).toMatchObject({ id, title: 'short' })
    expect((await given.ann.client.delete(`${PATH}/${id}`)).status).toBe(204)
    expect((await given.ann.client.get(`${issues}/${issue.json.number}`)).json.milestone).toBeNull()
  })

  it('may have no title or equal titles; a title finds the first one', async () => {
    const nameless = await createMilestone(given.ann, PATH, {})
    expect(nameless).toMatchObject({ title: '', description: '', due_on: null })
    expect((await createMilestone(given.ann, PATH, { title: '  ' })).title).toBe('')
    const first = await createMilestone(given.ann, PATH, { title: 'twice' })
    const second = await createMilestone(given.ann, PATH, { title: 'twice' })
    expect((await given.ann.client.get(`${PATH}/twice`)).json.id).toBe(first.id)
    expect((await given.ann.client.delete(`${PATH}/twice`)).status).toBe(204)
    expect((await given.ann.client.get(`${PATH}/twice`)).json.id).toBe(second.id)
  })

  it('are found by id first, then by exact title', async () => {
    const made = await createMilestone(given.ann, PATH, { title: 'a/b ü%' })
    const number = await createMilestone(given.ann, PATH, { title: String(made.id) })
    const unused = await createMilestone(given.ann, PATH, { title: '987654321' })
    const foreign = await createMilestone(given.ann, '/repos/ann/other/milestones', { title: 'foreign' })
    const idAt = async (key: string | number) => (await given.ann.client.get(`${PATH}/${key}`)).json.id
    expect(await idAt(encodeURIComponent('a/b ü%'))).toBe(made.id)
    expect(await idAt(made.id)).toBe(made.id)
    expect(await idAt(number.id)).toBe(number.id)
    expect(await idAt('987654321')).toBe(unused.id)
    for (const key of ['0', '-1', '99999999', '999999999999999999999', 'A%2Fb%20%C3%BC%25', 'foreign', foreign.id]) {
      for (const method of ['get', 'patch', 'delete'] as const) {
        const answer = await given.ann.client[method](`${PATH}/${key}`, method === 'get' ? undefined : {})
        expect([answer.status, answer.text], `${method} ${key}`).toEqual([404, '{}\n'])
      }
    }
    expect((await given.ann.client.get(`/repos/ann/other/milestones/${foreign.id}`)).status).toBe(200)
  })

  it('have titles of 255 characters and descriptions of 65,535', async () => {
    const title = '🙂'.repeat(255)
    const { id } = await createMilestone(given.ann, PATH, { title, description: 'x'.repeat(65_535) })
    expect((await given.ann.client.get(`${PATH}/${encodeURIComponent(title)}`)).json.id).toBe(id)
    for (const [body, status, message] of [
      [{ title: `${title}x` }, 422, '[Title]: MaxSize (at most 255 characters)'],
      [{ title: 5 }, 422, '[]: json: cannot unmarshal number into field Title of type string'],
      [{ title: 'a\0' }, 422, '[Title]: NoControlCharacters'],
      [{ state: true }, 422, '[]: json: cannot unmarshal boolean into field State of type string'],
      [{ description: [] }, 422, '[]: json: cannot unmarshal array into field Description of type string'],
      [{ description: 'x'.repeat(65_536) }, 422, '[Description]: MaxSize (at most 65535 characters)'],
      [{ description: 'x'.repeat(1024 * 1024) }, 413, /limit|large/],
    ] as const) {
      for (const answer of [
        await given.ann.client.post(PATH, body),
        await given.ann.client.patch(`${PATH}/${id}`, body),
      ]) {
        expect(answer.status, String(message)).toBe(status)
        expect(answer.json.message).toMatch(message)
      }
    }
    expect((await given.ann.client.get(`${PATH}/${id}`)).json.title).toBe(title)
  })
})

describeOnBoth('due dates', (on) => {
  const given = milestoneWorld(on)

  it.each([
    ['2031-01-02T23:59:59Z', '2031-01-02T23:59:59Z'],
    ['2031-01-02T03:04:05+05:30', '2031-01-01T21:34:05Z'],
    ['2031-01-02t03:04:05.999z', '2031-01-02T03:04:05Z'],
    ['1970-01-01T00:00:00Z', '1970-01-01T00:00:00Z'],
    ['1969-12-31T23:59:59Z', '1969-12-31T23:59:59Z'],
    ['0001-01-01T00:00:01Z', '0001-01-01T00:00:01Z'],
    ['9999-12-31T23:59:59Z', '9999-12-31T23:59:59Z'],
  ])('%s is stored exactly', async (sent, stored) => {
    const made = await createMilestone(given.ann, PATH, { title: 'm', due_on: sent })
    expect(made.due_on).toBe(stored)
    await given.ann.client.patch(`${PATH}/${made.id}`, { due_on: '2001-02-03T04:05:06Z' })
    expect((await given.ann.client.patch(`${PATH}/${made.id}`, { due_on: sent })).json.due_on).toBe(stored)
  })

  it('are cleared by the zero time', async () => {
    const zero = { due_on: '0001-01-01T00:00:00Z' }
    expect((await createMilestone(given.ann, PATH, { title: 'm', ...zero })).due_on).toBeNull()
    const { id } = await createMilestone(given.ann, PATH, { title: 'm', due_on: '2031-01-02T03:04:05Z' })
    expect((await given.ann.client.patch(`${PATH}/${id}`, { due_on: null })).json.due_on).toBe('2031-01-02T03:04:05Z')
    expect((await given.ann.client.patch(`${PATH}/${id}`, zero)).json.due_on).toBeNull()
  })

  it.each([
    'soon',
    '',
    '2031-01-02',
    '2031-02-30T00:00:00Z',
    '2031-01-02T25:00:00Z',
    '2031-01-02T00:00:00',
    '10000-01-01T00:00:00Z',
    '9999-12-31T23:59:59-01:00',
    '0000-06-01T00:00:00Z',
    '0001-01-01T00:00:00+01:00',
    '2'.repeat(5000),
    2031,
    ['2031-01-02T03:04:05Z'],
  ])('%j is rejected', async (due) => {
    const made = await createMilestone(given.ann, PATH, { title: 'm', due_on: '2031-01-02T03:04:05Z' })
    const mark = await lastEventId(given.server)
    for (const answer of [
      await given.ann.client.post(PATH, { title: 'bad', due_on: due }),
      await given.ann.client.patch(`${PATH}/${made.id}`, { title: 'bad', due_on: due }),
    ]) {
      expect(answer.status).toBe(422)
      expect(answer.json.message).toContain('DueOn')
    }
    expect((await given.ann.client.get(`${PATH}/${made.id}`)).json).toEqual(made)
    await expectEvents(given.server, { after: mark }, [])
  })
})
