import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Any } from '../harness/client.ts'
import { describeOnBoth } from '../harness/databases.ts'
import { type ServerWorld, startServerWorld } from './server-world.ts'

const TIMEOUT = 120_000

describeOnBoth('options of ingot import server', (on) => {
  let world: ServerWorld
  let passwords: string
  const ours = async (path: string): Promise<Any> => (await world.admin.client.get(path)).json
  const linesOf = (file: string): [string, string][] =>
    readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => line.split(' ') as [string, string])
  const run = () =>
    world.run('server', '--only=ann/*', '--rename=bob=robert', '--source=4=7', `--passwords=${passwords}`)

  beforeAll(async () => {
    world = await startServerWorld(on)
    passwords = join(world.target.dataDir, 'passwords')
    const eve = { username: 'eve', email: 'eve@example.test', source_id: 4, login_name: 'eve.c' }
    expect((await world.boss.client.post('/admin/users', eve)).status).toBe(201)
    const { code, stdout } = await run()
    expect(code, stdout).toBe(0)
    expect(stdout).not.toContain('Accounts without a password')
  }, TIMEOUT)
  afterAll(() => world.close())

  it('--only imports the named repositories, and all accounts', async () => {
    const { data } = await ours('/repos/search')
    expect(data.map((repo: Any) => repo.full_name).toSorted()).toEqual(['ann/desk', 'ann/old'])
    const users = await ours('/admin/users')
    expect(users.map(({ login }: Any) => login).toSorted()).toEqual(['ann', 'boss', 'eve', 'robert', 'root'])
  })

  it('--rename imports an account by another name, also as an author, collaborator and watcher', async () => {
    expect((await ours('/repos/ann/desk/issues/1')).user.login).toBe('robert')
    expect((await ours('/repos/ann/desk/collaborators')).map(({ login }: Any) => login)).toEqual(['robert'])
    expect((await ours('/repos/ann/desk/subscribers')).map(({ login }: Any) => login)).toContain('robert')
  })

  it('--source binds accounts to the sign-in source of this server', async () => {
    expect(await ours('/users/eve')).toMatchObject({ source_id: 7, login_name: 'eve.c' })
  })

  it('--passwords writes a one-time password for each account without a sign-in source', async () => {
    const given = linesOf(passwords)
    expect(given.map(([name]) => name).toSorted()).toEqual(['ann', 'boss', 'robert'])
    expect(statSync(passwords).mode & 0o777).toBe(0o600)
    const [name, password] = given.find(([account]) => account === 'robert')!
    const answer = await fetch(`${world.target.url}/api/v1/user`, {
      headers: { authorization: `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}` },
    })
    expect([answer.status, await answer.text()]).toEqual([403, expect.stringContaining('must change your password')])
  })

  it(
    'a second run changes no passwords',
    async () => {
      const before = linesOf(passwords)
      expect((await run()).code).toBe(0)
      expect(linesOf(passwords)).toEqual(before)
    },
    TIMEOUT,
  )
})
