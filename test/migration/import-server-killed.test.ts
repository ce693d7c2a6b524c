import { afterAll, beforeAll, expect, it } from 'vitest'
import { until } from '../core/git/wire/client.ts'
import { describeOnBoth } from '../harness/databases.ts'
import { runIngot } from '../harness/process.ts'
import { type ServerWorld, startServerWorld } from './server-world.ts'

/** Objects after which the command is killed: within accounts, organizations, repositories, and what follows them. */
const KILLS = [1, 7, 14, 16, 24]

describeOnBoth('ingot import server', (on) => {
  let world: ServerWorld
  beforeAll(async () => {
    world = await startServerWorld(on)
  }, 120_000)
  afterAll(() => world.close())

  it('continues after five kills, and imports everything once', async () => {
    const { target } = world
    const written = async (): Promise<number> =>
      (await target.app.database.read.selectFrom('server_import').where('state', '=', 'done').select('kind').execute())
        .length
    for (const count of KILLS) {
      const ran = runIngot(world.arguments('server'), {
        started: (child) =>
          void until(`${count} objects`, async () => (await written()) >= count, 60_000).then(() =>
            child.kill('SIGKILL'),
          ),
      })
      expect((await ran).code).toBe(null)
    }
    const { code, stdout } = await world.run('server')
    expect(code, stdout).toBe(0)
    expect(stdout.split('Accounts without a password')[1]).toMatch(/:\n {2}ann\n {2}bob\n {2}boss\n$/)
    for (const place of ['guild', 'ann/desk'])
      expect(stdout).toContain(`  hook https://hooks.test/in of ${place}: it is inactive until its secret is entered`)
    const verified = await world.run('verify')
    expect([verified.code, verified.stdout]).toEqual([0, expect.stringContaining(' 0 differences')])
    const get = async (path: string): Promise<number> => (await world.admin.client.get(path)).json.length
    for (const path of ['/repos/ann/desk/hooks', '/orgs/guild/hooks', '/orgs/guild/labels', '/users/ann/keys'])
      expect([path, await get(path)]).toEqual([path, 1])
    const repos = (await world.admin.client.get('/repos/search')).json.data
    expect(repos.map((repo: { full_name: string }) => repo.full_name).toSorted()).toEqual([
      'ann/desk',
      'ann/old',
      'bob/desk-fork',
      'guild/tools',
    ])
    const left = await target.app.database.read.selectFrom('access_token').select('name').execute()
    expect(left.filter(({ name }) => name.startsWith('ingot import server'))).toHaveLength(0)
  }, 300_000)
})
