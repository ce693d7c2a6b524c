import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { Any } from '../harness/client.ts'
import { describeOnBoth } from '../harness/databases.ts'
import { type Ran, runCommand } from '../harness/process.ts'
import { startServer, type TestServer } from '../harness/server.ts'
import type { Person } from '../harness/world.ts'
import { type FakeService, json, startFakeService, status } from './fake-service.ts'

const user = (id: number, login: string, email = `${id}@example.test`) => ({ id, login, email, active: true })

describeOnBoth('ingot import server from a hostile server', (on) => {
  let source: FakeService
  let target: TestServer
  let admin: Person
  const api = (path: string, route: Parameters<FakeService['routes']['set']>[1]) =>
    source.routes.set(`/api/v1${path}`, route)
  const accounts = async (): Promise<string[]> =>
    (await admin.client.get('/admin/users')).json.map(({ login }: Any) => login).toSorted()

  beforeAll(async () => {
    source = await startFakeService()
    target = await startServer({ on })
    target.app.background.start()
    admin = await target.world.admin('root')
    writeFileSync(join(target.dataDir, 'their-token'), 'x')
  })
  afterAll(async () => {
    await target.close()
    await source.close()
  })
  beforeEach(() => {
    source.routes.clear()
    api('/user', json({ is_admin: true }))
    api('/admin/users', json([user(1, 'ann')]))
    api('/admin/orgs', json([]))
  })

  const run = (...more: string[]): Promise<Ran> =>
    runCommand([
      'import',
      'server',
      `--from=${source.url}`,
      `--token-file=${join(target.dataDir, 'their-token')}`,
      `--to=${target.url}`,
      `--data-dir=${target.dataDir}`,
      '--set=migrations.allowed_hosts=*',
      ...(on === 'postgres' ? [`--set=database.url=${target.app.config.database.url}`] : []),
      ...more,
    ])

  it.each<[what: string, path: string, route: Parameters<typeof api>[1], message: string]>([
    ['HTML', '/admin/users', status(200, {}, '<html>Sign in</html>'), 'did not answer with JSON'],
    ['a token that is revoked', '/admin/orgs', status(401), 'answered with status 401'],
    ['names that differ in case alone', '/admin/users', json([user(1, 'ann'), user(2, 'Ann')]), 'named Ann'],
    [
      'a list that begins again',
      '/admin/users',
      (request, response) =>
        json([user(1, 'ann'), user(2, 'bob')].slice(Number(/page=(\d+)/.exec(request.url!)![1]) % 2))(
          request,
          response,
        ),
      'two accounts would be named bob',
    ],
  ])('stops before it has written anything: %s', async (_, path, route, message) => {
    api(path, route)
    const { code, stderr } = await run()
    expect([code, stderr]).toEqual([1, expect.stringContaining(message)])
    expect(await accounts()).toEqual(['root'])
    expect(await target.app.database.read.selectFrom('server_import').selectAll().execute()).toEqual([])
  })

  it('imports an account whose address is in use here, and sets the address when it is free', async () => {
    const address = 'root@example.test'
    const chief = async (): Promise<Any> => (await admin.client.get('/users/chief')).json
    api('/admin/users', json([user(1, 'ann'), user(9, 'chief', address)]))
    const tried = await run('--dry-run')
    expect([tried.code, tried.stdout]).toEqual([
      3,
      expect.stringContaining(`  e-mail address ${address} of chief: root has it on this server`),
    ])
    for (const turn of ['first', 'second']) {
      const { code, stdout } = await run()
      expect([turn, code, stdout]).toEqual([turn, 3, expect.stringContaining(`  e-mail address ${address} of chief: `)])
      expect((await chief()).email).toMatch(/@localhost$/)
    }
    await admin.client.patch('/admin/users/root', { email: 'other@example.test' })
    expect((await admin.client.delete('/user/emails', { emails: [address] })).status).toBe(204)
    const { code, stdout } = await run()
    expect([code, (await chief()).email], stdout).toEqual([0, address])
  }, 120_000)

  it('skips what this server refuses, reports the reason, and imports the rest once', async () => {
    const users = [user(1, 'ann'), user(2, 'bob', '1@example.test'), user(3, 'api'), user(4, '..'), user(5, 'eve', '@')]
    let limited = true
    api('/admin/users', (request, response) => {
      if (limited) response.writeHead(429, { 'retry-after': '1' }).end()
      else json(users, { 'x-total-count': '5' })(request, response)
      limited = false
    })
    api('/admin/orgs', json([{ id: 9, username: 'guild' }]))
    api('/orgs/guild/teams', json([{ id: 5, name: 'Owners', permission: 'owner' }]))
    api('/teams/5/members', json([user(77, 'nobody')]))
    api('/orgs/guild/actions/variables', json([{ name: '..', data: 'x' }]))
    api('/users/ann/repos', json([{ id: 6, name: 'gone' }]))
    for (const turn of ['first', 'second']) {
      const { code, stdout } = await run()
      expect([turn, code], stdout).toEqual([turn, 3])
      for (const line of [
        'e-mail address 1@example.test of bob: ',
        'account api: ',
        'account ..: ',
        'account eve: ',
        'variable .. of guild: a name is . or ..',
        'repository ann/gone: ',
      ])
        expect(stdout.split('Left out:')[1], turn).toContain(`  ${line}`)
      expect(await accounts()).toEqual(['ann', 'bob', 'chief', 'root'])
      expect((await admin.client.get('/orgs/guild')).status).toBe(200)
      expect((await admin.client.get('/repos/ann/gone')).status).toBe(404)
    }
  }, 120_000)
})
