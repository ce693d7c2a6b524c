import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createActionsFactory } from '../harness/actions.ts'
import { describeOnBoth } from '../harness/databases.ts'
import { rows } from '../harness/expect.ts'
import { startServer, type TestServer } from '../harness/server.ts'
import type { Any, Client } from '../harness/client.ts'
import type { Person } from '../harness/world.ts'

const LEVELS = ['/repos/ann/r/actions', '/orgs/guild/actions', '/user/actions', '/admin/actions'] as const
const NOW = 1_800_000_000_000

describeOnBoth('runners', (kind) => {
  let server: TestServer
  let [ann, bob, root] = [] as unknown as [Person, Person, Person]
  let factory: ReturnType<typeof createActionsFactory>
  /** The id of a runner of each level. */
  const runner: Record<string, number> = {}

  beforeAll(async () => {
    server = await startServer({ on: kind, clock: { now: () => NOW } })
    const { world } = server
    ;[ann, bob, root] = [await world.user('ann'), await world.user('bob'), await world.admin()]
    const { org } = await world.org('guild', { owner: ann })
    const repo = await world.repo({ owner: ann, name: 'r' })
    await world.repo({ owner: ann, name: 'hid', isPrivate: true })
    factory = createActionsFactory(server.app)
    const places = [
      { kind: 'repository', repoId: repo.id },
      { kind: 'owner', ownerId: org.id },
      { kind: 'owner', ownerId: ann.user.id },
      { kind: 'site' },
    ] as const
    for (const [index, place] of places.entries())
      runner[LEVELS[index]!] = await factory.runner(place, {
        name: `runner ${index}`,
        labels: ['ubuntu', 'x64'],
        isEphemeral: index === 1,
        onlineAt: NOW - [0, 59_999, 60_000, 120_000][index]!,
        activeAt: NOW - [9_999, 10_000, 10_001, 120_000][index]!,
      })
  })
  afterAll(() => server.close())

  const managerOf = (path: string): Person => (path.startsWith('/admin') ? root : ann)
  const manager = (path: string): Client => managerOf(path).client
  const status = async (answer: Promise<{ status: number }>): Promise<number> => (await answer).status

  describe.each(LEVELS)('at %s', (path) => {
    it('register with one token, which GET and POST do not change', async () => {
      const client = manager(path)
      const answers = await Promise.all([
        client.post(`${path}/runners/registration-token`),
        client.get(`${path}/runners/registration-token`),
        client.post(`${path}/runners/registration-token`),
      ])
      expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200])
      const tokens = new Set(answers.map((answer) => answer.json.token))
      expect(tokens.size).toBe(1)
      expect([...tokens][0]).toMatch(/^[A-Za-z0-9]{40}$/)
    })

    it('are only for accounts that manage the level', async () => {
      const one = `${path}/runners/${runner[path]}`
      const calls = (client: Client): Promise<Any>[] => [
        client.get(`${path}/runners/registration-token`),
        client.post(`${path}/runners/registration-token`),
        client.get(`${path}/runners`),
        client.get(one),
        client.patch(one, { disabled: true }),
        client.delete(one),
      ]
      expect(await Promise.all(calls(server.anonymous).map(status))).toEqual(Array(6).fill(401))
      const refused = path.startsWith('/user') ? [200, 200, 200, 404, 404, 404] : Array(6).fill(403)
      expect(await Promise.all(calls(bob.client).map(status))).toEqual(refused)
      const reader = await managerOf(path).withToken('read:user', 'read:organization', 'read:repository', 'read:admin')
      expect(await Promise.all(calls(reader).map(status))).toEqual([200, 403, 200, 200, 403, 403])
      const scopeless = await managerOf(path).withToken('read:issue')
      expect(await Promise.all(calls(scopeless).map(status))).toEqual(Array(6).fill(403))
    })

    it('are listed and shown', async () => {
      const index = LEVELS.indexOf(path)
      const shown = {
        id: runner[path],
        uuid: expect.any(String),
        description: '',
        version: '',
        owner_id: expect.any(Number),
        repo_id: expect.any(Number),
        name: `runner ${index}`,
        status: index < 2 ? 'online' : 'offline',
        busy: index === 0,
        disabled: false,
        ephemeral: index === 1,
        labels: [
          { id: 0, name: 'ubuntu', type: 'custom' },
          { id: 1, name: 'x64', type: 'custom' },
        ],
      }
      expect((await manager(path).get(`${path}/runners/${runner[path]}`)).json).toEqual(shown)
      const list = await manager(path).get(`${path}/runners`)
      if (path !== '/admin/actions') expect(list.json).toEqual({ runners: [shown], total_count: 1 })
      else
        expect([list.json.total_count, list.json.runners.map(({ id }: Any) => id)]).toEqual([
          4,
          LEVELS.map((level) => runner[level]),
        ])
    })

    it('are disabled and enabled', async () => {
      const client = manager(path)
      const one = `${path}/runners/${runner[path]}`
      for (const disabled of [true, true, false]) {
        const edited = await client.patch(one, { disabled })
        expect([edited.status, edited.json.disabled]).toEqual([200, disabled])
        expect((await client.get(one)).json.disabled).toBe(disabled)
        const ids = async (wanted: boolean): Promise<number[]> =>
          (await client.get(`${path}/runners?disabled=${wanted}`)).json.runners.map(({ id }: Any) => id)
        expect(await ids(disabled)).toContain(runner[path])
        expect(await ids(!disabled)).not.toContain(runner[path])
      }
      const events = await rows(server, 'event', { kind: 'runner.disabled' })
      const ofRunner = events.filter(({ payload }) => JSON.parse(payload as string).runner_id === runner[path])
      expect(ofRunner).toHaveLength(1)
    })

    it('refuses an empty edit, and missing runners', async () => {
      const client = manager(path)
      const answer = await client.patch(`${path}/runners/${runner[path]}`, {})
      expect([answer.status, answer.json.message]).toEqual([422, '[Disabled]: Required'])
      expect(await status(client.patch(`${path}/runners/${runner[path]}`, { disabled: 'yes' }))).toBe(422)
      for (const id of [999_999, 'x', '-1', '99999999999999999999']) {
        expect(await status(client.get(`${path}/runners/${id}`))).toBe(404)
        expect(await status(client.patch(`${path}/runners/${id}`, { disabled: true }))).toBe(404)
        expect(await status(client.delete(`${path}/runners/${id}`))).toBe(404)
      }
    })
  })

  it('have a different token at each level', async () => {
    const tokens = await Promise.all(
      LEVELS.map(async (path) => (await manager(path).get(`${path}/runners/registration-token`)).json.token),
    )
    expect(new Set(tokens).size).toBe(4)
    expect((await root.client.get('/admin/runners/registration-token')).json.token).toBe(tokens[3])
    const stored = JSON.stringify(await rows(server, 'action_registration_token'))
    for (const token of tokens) expect(stored).not.toContain(token)
  })

  it('belong to exactly one level, and are visible to the levels that they serve', async () => {
    const [repository, org, user, site] = LEVELS
    for (const [path, inherited] of [
      [repository, [user, site]],
      [org, [site]],
      [user, [site]],
    ] as const) {
      const own = await ann.client.get(`${path}/runners?visible=false`)
      expect([own.json.total_count, own.json.runners[0].id]).toEqual([1, runner[path]])
      const visible = await ann.client.get(`${path}/runners?visible=true&disabled=false`)
      expect(visible.json.runners.map(({ id }: Any) => id)).toEqual([path, ...inherited].map((level) => runner[level]))
      expect((await ann.client.get(`${path}/runners?visible=true&disabled=true`)).json.total_count).toBe(0)
      for (const other of LEVELS.filter((level) => level !== path)) {
        const isInherited = inherited.some((level) => level === other)
        expect(await status(ann.client.get(`${path}/runners/${runner[other]}`))).toBe(isInherited ? 200 : 404)
        expect(await status(ann.client.patch(`${path}/runners/${runner[other]}`, { disabled: true }))).toBe(404)
        expect(await status(ann.client.delete(`${path}/runners/${runner[other]}`))).toBe(404)
      }
    }
    expect((await root.client.get(`${site}/runners?visible=true`)).json.total_count).toBe(4)
    for (const other of LEVELS)
      expect(await status(root.client.get(`/admin/actions/runners/${runner[other]}`))).toBe(200)
  })

  it('of a repository are for its owner, not for its administrators', async () => {
    await ann.client.put('/repos/ann/r/collaborators/bob', { permission: 'admin' })
    const refused = await bob.client.get('/repos/ann/r/actions/runners')
    expect([refused.status, refused.json.message]).toEqual([403, 'user should be the owner of the repo'])
    expect(await status(root.client.get('/repos/ann/r/actions/runners'))).toBe(200)
    expect(await status(bob.client.get('/repos/ann/hid/actions/runners'))).toBe(404)
    await ann.client.delete('/repos/ann/r/collaborators/bob')
  })

  it('of a repository of an organization are also for teams that administer it', async () => {
    const guild = { org: (await server.app.orgs.getInView({ kind: 'anonymous' }, 'guild')).org }
    const repo = await server.world.repo({ owner: guild.org, by: ann, name: 'shared' })
    const cat = await server.world.user('cat')
    const dan = await server.world.user('dan')
    for (const [name, permission, member] of [
      ['chiefs', 'admin', cat],
      ['hands', 'write', dan],
    ] as const) {
      const team = (
        await ann.client.post('/orgs/guild/teams', { name, permission, units: ['repo.code', 'repo.actions'] })
      ).json
      await ann.client.put(`/teams/${team.id}/members/${member.name}`)
      await ann.client.put(`/teams/${team.id}/repos/guild/${repo.name}`)
    }
    expect(await status(cat.client.get('/repos/guild/shared/actions/runners'))).toBe(200)
    expect(await status(dan.client.get('/repos/guild/shared/actions/runners'))).toBe(403)
    expect(await status(cat.client.get('/orgs/guild/actions/runners'))).toBe(403)
  })

  it('are paged', async () => {
    const pages = await Promise.all(
      [1, 2, 3].map((page) => root.client.get(`/admin/actions/runners?limit=3&page=${page}`)),
    )
    expect(
      pages.map(({ json, headers }) => [json.runners.length, json.total_count, headers.get('x-total-count')]),
    ).toEqual([
      [3, 4, '4'],
      [1, 4, '4'],
      [0, 4, '4'],
    ])
    expect(pages[0]!.headers.get('link')).toContain('/api/v1/admin/actions/runners?limit=3&page=2>; rel="next"')
  })

  it('are deleted once, by managers of the level, and with their repository or account', async () => {
    const one = `/repos/ann/r/actions/runners/${runner['/repos/ann/r/actions']}`
    const codes = await Promise.all([1, 2, 3].map(() => status(ann.client.delete(one))))
    expect(codes.toSorted((a, b) => a - b)).toEqual([204, 404, 404])
    expect(await rows(server, 'event', { kind: 'runner.deleted' })).toHaveLength(1)
    expect(await rows(server, 'audit_entry', { action: 'runner.deleted' })).toHaveLength(1)
    const eve = await server.world.user('eve')
    const repo = await server.world.repo({ owner: eve, name: 'gone' })
    await factory.runner({ kind: 'repository', repoId: repo.id })
    await factory.runner({ kind: 'owner', ownerId: eve.user.id })
    await eve.client.get('/repos/eve/gone/actions/runners/registration-token')
    await eve.client.get('/user/actions/runners/registration-token')
    const left = async (): Promise<number[]> => [
      (await rows(server, 'action_runner')).length,
      (await rows(server, 'action_registration_token')).length,
    ]
    const [runners, tokens] = (await left()) as [number, number]
    expect(await status(eve.client.delete('/repos/eve/gone'))).toBe(204)
    expect(await left()).toEqual([runners - 1, tokens - 1])
    expect(await status(root.client.delete('/admin/users/eve'))).toBe(204)
    expect(await left()).toEqual([runners - 2, tokens - 2])
  })
})
