import { describe, expect, it } from 'vitest'
import { rows } from '../harness/expect.ts'
import { describeOnBoth } from '../harness/databases.ts'
import { viewerOf } from '../harness/world.ts'
import { LEVELS, settingsWorld, statusesOf } from './settings-world.ts'

describeOnBoth('secrets of Actions', (kind) => {
  const given = settingsWorld(kind)

  describe.each(LEVELS)('at %s', (level) => {
    const path = `${level}/secrets`
    const names = async () => (await given.ann.client.get(path)).json.map((secret: { name: string }) => secret.name)

    it('are created, replaced, listed by name and deleted; names are case-insensitive and values never returned', async () => {
      const empty = await given.ann.client.get(path)
      expect([empty.status, empty.json, empty.headers.get('x-total-count')]).toEqual([200, [], '0'])
      const made = await given.ann.client.put(`${path}/Deploy_Key`, { data: 'S3CRET', description: 'for deploys' })
      expect([made.status, made.json]).toEqual([
        201,
        { name: 'DEPLOY_KEY', description: 'for deploys', created_at: expect.any(String) },
      ])
      const replaced = await given.ann.client.put(`${path}/DEPLOY_KEY`, { data: 'S3CRET two' })
      expect([replaced.status, replaced.text]).toEqual([204, ''])
      for (const name of ['zebra', '_a', 'another'])
        expect((await given.ann.client.put(`${path}/${name}`, { data: 'S3CRET', description: 'd' })).status).toBe(201)
      const list = await given.ann.client.get(path)
      expect(await names()).toEqual(['ANOTHER', 'DEPLOY_KEY', 'ZEBRA', '_A'])
      expect(list.json[1]).toEqual({ name: 'DEPLOY_KEY', description: '', created_at: expect.any(String) })
      expect(list.text).not.toContain('S3CRET')
      expect((await given.ann.client.get(`${path}/DEPLOY_KEY`)).status).toBe(405)

      const page = await given.ann.client.get(`${path}?limit=1&page=2`)
      expect([page.json.length, page.headers.get('x-total-count')]).toEqual([1, '4'])
      expect(page.headers.get('link')).toContain(`${path}?limit=1&page=3>; rel="next"`)

      for (const name of ['deploy_key', 'zebra', '_a', 'another'])
        expect((await given.ann.client.delete(`${path}/${name}`)).status).toBe(204)
      for (const name of ['deploy_key', 'bad-name', 'n'.repeat(300)]) {
        const gone = await given.ann.client.delete(`${path}/${name}`)
        expect([gone.status, gone.json, gone.headers.get('x-ingot-message')]).toEqual([404, {}, 'secret was not found'])
      }
    })

    it('have a name of letters, digits and underscores that is not reserved', async () => {
      for (const name of ['bad-name', '1st', 'GITHUB_X', 'gitea_x', 'forgejo_x', 'ingot_x', 'ci', '%C4%B1', 'a%0A']) {
        const answer = await given.ann.client.put(`${path}/${name}`, { data: 'x' })
        expect([answer.status, answer.json.message], name).toEqual([400, 'invalid variable or secret name'])
      }
      expect((await given.ann.client.put(`${path}/${'n'.repeat(256)}`, { data: 'x' })).status).toBe(400)
      expect(await names()).toEqual([])
    })

    it('need a value of at most 65536 bytes', async () => {
      for (const body of [{}, { data: '' }, { data: null }]) {
        const answer = await given.ann.client.put(`${path}/X`, body)
        expect([answer.status, answer.json.message]).toEqual([422, '[Data]: Required'])
      }
      expect((await given.ann.client.put(`${path}/X`, { data: 5 })).status).toBe(422)
      expect((await given.ann.client.put(`${path}/X`, { data: 'a\u0000b' })).status).toBe(422)
      for (const data of ['x'.repeat(65_537), 'é'.repeat(32_769)]) {
        const answer = await given.ann.client.put(`${path}/X`, { data })
        expect([answer.status, answer.json.message]).toEqual([400, 'data too long'])
      }
      expect((await given.ann.client.put(`${path}/X`, { data: 'x'.repeat(2_000_000) })).status).toBe(413)
      expect(await names()).toEqual([])
      expect((await given.ann.client.put(`${path}/X`, { data: 'é'.repeat(32_768) })).status).toBe(201)
      expect((await given.ann.client.put(`${path}/X`, { data: 'x', description: 'd'.repeat(5000) })).status).toBe(204)
      expect((await given.ann.client.get(path)).json[0].description).toBe('d'.repeat(4096))
      expect((await given.ann.client.delete(`${path}/X`)).status).toBe(204)
    })

    it('are created once by two concurrent requests', async () => {
      const puts = ['one', 'two', 'three', 'four'].map((data) => given.ann.client.put(`${path}/RACE`, { data }))
      expect(await statusesOf(puts)).toEqual([201, 204, 204, 204])
      expect(await names()).toEqual(['RACE'])
      const deletes = [1, 2, 3].map(() => given.ann.client.delete(`${path}/race`))
      expect(await statusesOf(deletes)).toEqual([204, 404, 404])
    })

    it('are recorded in the audit log only by name', async () => {
      await given.ann.client.put(`${path}/Noted`, { data: 'S3CRET' })
      await given.ann.client.put(`${path}/NOTED`, { data: 'S3CRET', description: 'S3CRET' })
      await given.ann.client.delete(`${path}/noted`)
      const log = await given.root.client.get('/admin/audit?action=secret&actor=ann&limit=3')
      const target = level === '/user/actions' ? 'ann' : level === '/orgs/guild/actions' ? 'guild' : 'ann/r'
      expect(
        log.json.map((entry: { action: string; target: { name: string }; details: object }) => [
          entry.action,
          entry.target.name,
          entry.details,
        ]),
      ).toEqual(['secret.deleted', 'secret.changed', 'secret.created'].map((it) => [it, target, { name: 'NOTED' }]))
      expect(log.text).not.toContain('S3CRET')
      expect(JSON.stringify(await rows(given.server.app, 'event'))).not.toContain('S3CRET')
    })
  })

  it('are encrypted in the database, each for its owner and name', async () => {
    const { actionsSecrets, database } = given.server.app
    const shop = (await given.server.app.repos.getInView(viewerOf(given.ann.user), 'guild', 'shop')).repo
    const values = ['line 1\nline 2\r\n\n  end \n', 'z'.repeat(65_536), '😀\t\u001b']
    for (const [number, data] of values.entries())
      expect((await given.ann.client.put(`/repos/guild/shop/actions/secrets/S${number}`, { data })).status).toBe(201)
    const stored = await rows(given.server.app, 'actions_secret')
    expect(stored.every(({ value }) => /^v2\.[0-9a-f]{12}\.[\w-]+$/.test(String(value)))).toBe(true)
    expect(Object.fromEntries(await actionsSecrets.loadFor(shop))).toEqual(
      Object.fromEntries(values.map((value, number) => [`S${number}`, value])),
    )
    await database.transaction((tx) =>
      tx
        .updateTable('actions_secret')
        .set({ value: String(stored.find(({ name }) => name === 'S0')!.value) })
        .where('name', '=', 'S1')
        .execute(),
    )
    expect([...(await actionsSecrets.loadFor(shop)).keys()].toSorted()).toEqual(['S0', 'S2'])
  })

  it('of a repository take precedence over those of its owner, and remain with it after a transfer', async () => {
    const { app } = given.server
    const load = async (owner: string, name: string) => {
      const { repo } = await app.repos.getInView(viewerOf(given.ann.user), owner, name)
      return Object.fromEntries(await app.actionsSecrets.loadFor(repo))
    }
    await given.server.world.repo({ owner: given.ann, name: 'moved' })
    for (const [level, name, data] of [
      ['/user/actions', 'A', 'a of ann'],
      ['/user/actions', 'B', 'b of ann'],
      ['/orgs/guild/actions', 'A', 'a of guild'],
      ['/orgs/guild/actions', 'C', 'c of guild'],
      ['/repos/ann/moved/actions', 'B', 'b of the repository'],
      ['/repos/ann/r/actions', 'A', 'a of another repository'],
    ])
      expect((await given.ann.client.put(`${level}/secrets/${name}`, { data })).status).toBe(201)
    expect(await load('ann', 'moved')).toEqual({ A: 'a of ann', B: 'b of the repository' })
    expect((await given.ann.client.post('/repos/ann/moved/transfer', { new_owner: 'guild' })).status).toBeLessThan(203)
    expect(await load('guild', 'moved')).toEqual({ A: 'a of guild', B: 'b of the repository', C: 'c of guild' })
    const left = await given.ann.client.get('/repos/guild/moved/actions/secrets')
    expect(left.json.map(({ name }: { name: string }) => name)).toEqual(['B'])
  })

  it('are deleted with their owner', async () => {
    const { server, ann, root } = given
    const dora = await server.world.user('dora')
    await server.world.org('shortlived', { owner: ann })
    await server.world.repo({ owner: dora, name: 'gone' })
    for (const [person, level] of [
      [dora, '/repos/dora/gone/actions'],
      [dora, '/user/actions'],
      [ann, '/orgs/shortlived/actions'],
    ] as const) {
      expect((await person.client.put(`${level}/secrets/LOST`, { data: 'x' })).status).toBe(201)
      expect((await person.client.post(`${level}/variables/LOST`, { value: 'x' })).status).toBe(201)
    }
    const lost = async () =>
      [...(await rows(server.app, 'actions_secret')), ...(await rows(server.app, 'actions_variable'))].filter(
        ({ name }) => name === 'LOST',
      ).length
    const left = [await lost()]
    for (const deletion of [
      () => dora.client.delete('/repos/dora/gone'),
      () => ann.client.delete('/orgs/shortlived'),
      () => root.client.delete('/admin/users/dora'),
    ]) {
      expect((await deletion()).status).toBe(204)
      left.push(await lost())
    }
    expect(left).toEqual([6, 4, 2, 0])
  })

  it('are limited to 500 per owner', async () => {
    const { app } = given.server
    const full = await given.server.world.user('full')
    await app.database.transaction(async (tx) => {
      const row = { repo_id: null, owner_id: full.user.id, value: 'x', created_at: 1, updated_at: 1 }
      const all = Array.from({ length: 499 }, (_, number) => ({ ...row, name: `N${number}` }))
      await tx.insertInto('actions_secret').values(all).execute()
      await tx.insertInto('actions_variable').values(all).execute()
    })
    const last = ['A', 'B', 'C'].map((name) => full.client.put(`/user/actions/secrets/${name}`, { data: 'x' }))
    expect(await statusesOf(last)).toEqual([201, 422, 422])
    expect((await full.client.put('/user/actions/secrets/N1', { data: 'x' })).status).toBe(204)
    const made = ['A', 'B'].map((name) => full.client.post(`/user/actions/variables/${name}`, { value: 'x' }))
    expect(await statusesOf(made)).toEqual([201, 422])
  })
})
