import { describe, expect, it } from 'vitest'
import { describeOnBoth } from '../harness/databases.ts'
import { viewerOf } from '../harness/world.ts'
import { LEVELS, settingsWorld, statusesOf } from './settings-world.ts'

describeOnBoth('variables of Actions', (kind) => {
  const given = settingsWorld(kind)

  describe.each(LEVELS)('at %s', (level) => {
    const path = `${level}/variables`
    const names = async () => (await given.ann.client.get(path)).json.map(({ name }: { name: string }) => name)
    const reason = (answer: { headers: Headers }) => answer.headers.get('x-ingot-message')

    it('are created, read, replaced, renamed, listed by name and deleted', async () => {
      const made = await given.ann.client.post(`${path}/Stage`, { value: 'test', description: 'which stage' })
      const { json } = await given.ann.client.get(`${path}/stage`)
      expect([made.status, made.json]).toEqual([201, json])
      expect(json).toMatchObject({ name: 'STAGE', data: 'test', description: 'which stage' })
      const isRepo = level.startsWith('/repos')
      expect([json.repo_id > 0, json.owner_id > 0]).toEqual([isRepo, !isRepo])

      const again = await given.ann.client.post(`${path}/STAGE`, { value: 'again' })
      expect([again.status, again.json.message]).toEqual([409, 'variable name STAGE already exists'])
      expect((await given.ann.client.post(`${path}/lines`, { value: 'a\r\nb\rc\n' })).status).toBe(201)
      expect((await given.ann.client.get(`${path}/lines`)).json.data).toBe('a\nb\rc\n')

      expect((await given.ann.client.put(`${path}/stage`, { value: 'live' })).status).toBe(204)
      expect((await given.ann.client.get(`${path}/STAGE`)).json).toMatchObject({ data: 'live', description: '' })
      const taken = await given.ann.client.put(`${path}/stage`, { name: 'Lines', value: 'x' })
      expect([taken.status, taken.json.message]).toEqual([409, 'variable name LINES already exists'])
      expect((await given.ann.client.put(`${path}/stage`, { name: 'stage', value: 'same name' })).status).toBe(204)
      const renamed = await given.ann.client.put(`${path}/stage`, { name: '_phase', value: 'next', description: 'd' })
      expect([renamed.status, renamed.text]).toEqual([204, ''])
      expect((await given.ann.client.get(`${path}/stage`)).status).toBe(404)
      await given.ann.client.post(`${path}/Zoo`, { value: 'z' })
      expect(await names()).toEqual(['LINES', 'ZOO', '_PHASE'])
      const page = await given.ann.client.get(`${path}?limit=1&page=3`)
      expect(page.json).toMatchObject([{ name: '_PHASE', data: 'next', description: 'd' }])
      expect([page.headers.get('x-total-count'), page.headers.get('link')]).toEqual([
        '3',
        expect.stringContaining('rel="first"'),
      ])

      for (const name of ['lines', 'zoo', '_phase'])
        expect((await given.ann.client.delete(`${path}/${name}`)).status).toBe(204)
      expect(await names()).toEqual([])
    })

    it('that are missing or have an invalid name are not found', async () => {
      for (const name of ['missing', 'bad-name', 'CI', 'n'.repeat(300)])
        for (const answer of [
          await given.ann.client.get(`${path}/${name}`),
          await given.ann.client.put(`${path}/${name}`, { value: 'x' }),
          await given.ann.client.delete(`${path}/${name}`),
        ])
          expect([answer.status, answer.json, reason(answer)], name).toEqual([404, {}, 'variable not found'])
    })

    it('need a good name and a value of at most 65536 characters', async () => {
      for (const name of ['bad-name', 'GITHUB_X', 'ci']) {
        const answer = await given.ann.client.post(`${path}/${name}`, { value: 'x' })
        expect([answer.status, answer.json.message], name).toEqual([400, 'invalid variable or secret name'])
      }
      for (const body of [{}, { value: '' }, { value: null }]) {
        const answer = await given.ann.client.post(`${path}/X`, body)
        expect([answer.status, answer.json.message]).toEqual([422, '[Value]: Required'])
      }
      for (const value of ['x'.repeat(65_537), '😀'.repeat(65_537), 'x'.repeat(140_000)]) {
        const answer = await given.ann.client.post(`${path}/X`, { value })
        expect([answer.status, answer.json.message]).toEqual([400, 'data too long'])
      }
      expect((await given.ann.client.post(`${path}/X`, { value: '\u0000' })).status).toBe(422)
      expect((await given.ann.client.post(`${path}/X`, { value: '😀'.repeat(65_536) })).status).toBe(201)
      expect((await given.ann.client.get(`${path}/X`)).json.data).toBe('😀'.repeat(65_536))
      for (const [body, status] of [
        [{}, 422],
        [{ value: 'y'.repeat(65_537) }, 400],
        [{ value: 'y', name: 'bad-name' }, 400],
        [{ value: 'y', name: 'n'.repeat(256) }, 422],
      ] as const)
        expect((await given.ann.client.put(`${path}/X`, body)).status).toBe(status)
      expect((await given.ann.client.get(`${path}/X`)).json.data).toBe('😀'.repeat(65_536))
      expect((await given.ann.client.delete(`${path}/X`)).status).toBe(204)
    })

    it('have unique names even for concurrent requests', async () => {
      const posts = ['1', '2', '3'].map((value) => given.ann.client.post(`${path}/RACE`, { value }))
      expect(await statusesOf(posts)).toEqual([201, 409, 409])
      expect((await given.ann.client.post(`${path}/OTHER`, { value: 'x' })).status).toBe(201)
      const renames = ['race', 'other'].map((name) =>
        given.ann.client.put(`${path}/${name}`, { name: 'WON', value: name }),
      )
      expect(await statusesOf(renames)).toEqual([204, 409])
      expect((await names()).length).toBe(2)
      for (const name of await names()) await given.ann.client.delete(`${path}/${name}`)
    })

    it('are recorded in the audit log without their value', async () => {
      await given.ann.client.post(`${path}/Noted`, { value: 'V4LUE' })
      await given.ann.client.put(`${path}/noted`, { value: 'V4LUE', name: 'renamed' })
      await given.ann.client.delete(`${path}/renamed`)
      const log = await given.root.client.get('/admin/audit?action=variable&limit=3')
      expect(log.json.map(({ action, details }: { action: string; details: object }) => [action, details])).toEqual([
        ['variable.deleted', { name: 'RENAMED' }],
        ['variable.changed', { name: 'RENAMED', old_name: 'NOTED' }],
        ['variable.created', { name: 'NOTED' }],
      ])
      expect(log.text).not.toContain('V4LUE')
    })
  })

  it('of a repository take precedence over those of its owner', async () => {
    for (const [level, name, value] of [
      ['/user/actions', 'A', 'a of ann'],
      ['/user/actions', 'B', 'b of ann'],
      ['/orgs/guild/actions', 'A', 'a of guild'],
      ['/repos/ann/r/actions', 'B', 'b of the repository'],
      ['/repos/ann/hid/actions', 'A', 'a of another repository'],
    ])
      expect((await given.ann.client.post(`${level}/variables/${name}`, { value })).status).toBe(201)
    const { repos, actionsVariables } = given.server.app
    const load = async (owner: string, name: string) =>
      Object.fromEntries(
        await actionsVariables.loadFor((await repos.getInView(viewerOf(given.ann.user), owner, name)).repo),
      )
    expect(await load('ann', 'r')).toEqual({ A: 'a of ann', B: 'b of the repository' })
    expect(await load('guild', 'shop')).toEqual({ A: 'a of guild' })
  })
})
