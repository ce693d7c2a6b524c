import { readFileSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createBrowser } from '../harness/browser.ts'
import type { Any } from '../harness/client.ts'
import { describeOnBoth } from '../harness/databases.ts'
import { findWrongCounters } from '../harness/rows.ts'
import { type ServerWorld, startServerWorld } from './server-world.ts'

const TIMEOUT = 120_000

describeOnBoth('ingot import server', (on) => {
  let world: ServerWorld
  const ours = async (path: string): Promise<Any> => (await world.admin.client.get(path)).json
  const theirs = async (path: string): Promise<Any> => (await world.boss.client.get(path)).json
  const names = (list: readonly Any[], member = 'login'): string[] =>
    list.map((item) => String(item[member])).toSorted()

  beforeAll(async () => {
    world = await startServerWorld(on)
  }, TIMEOUT)
  afterAll(() => world.close())

  it('counts in a dry run and changes nothing', async () => {
    const { code, stdout } = await world.run('server', '--dry-run')
    expect([code, stdout.includes('account: 3 read'), stdout.includes('repository: 4 read')], stdout).toEqual([
      0,
      true,
      true,
    ])
    expect(names(await ours('/admin/users'))).toEqual(['root'])
  })

  it('needs a token of an administrator', async () => {
    const { tokenFile, ann } = world
    const before = readFileSync(tokenFile)
    writeFileSync(tokenFile, await ann.token('all'))
    const { code, stderr } = await world.run('server')
    writeFileSync(tokenFile, before)
    expect([code, stderr]).toEqual([1, expect.stringContaining('administrator')])
    expect(names(await ours('/admin/users'))).toEqual(['root'])
  })

  it('stops when a name is taken', async () => {
    const { json } = await world.admin.client.post('/orgs', { username: 'guild' })
    const { code, stderr } = await world.run('server')
    expect([code, stderr]).toEqual([1, expect.stringContaining('names are taken on this server: guild.')])
    expect(names(await ours('/admin/users'))).toEqual(['root'])
    expect((await world.admin.client.delete(`/orgs/${json.username}`)).status).toBe(204)
  })

  it(
    'imports everything, and reports what it cannot import',
    async () => {
      const { code, stdout, stderr } = await world.run('server')
      expect([code, stderr], stdout).toEqual([0, ''])
      for (const line of [
        'hook https://hooks.test/in of guild: it is inactive until its secret is entered',
        'secret KEY of ann/desk',
        'Accounts without a password',
      ])
        expect(stdout).toContain(line)

      for (const path of ['/users/ann', '/users/bob', '/orgs/guild']) {
        const [a, b] = [await theirs(path), await ours(path)]
        for (const member of ['full_name', 'visibility', 'location', 'description', 'is_admin'])
          expect([path, member, b[member]]).toEqual([path, member, a[member]])
      }
      expect((await ours('/users/ann')).created).toBe((await theirs('/users/ann')).created)
      expect(names(await ours('/users/ann/keys'), 'title')).toEqual(['laptop'])
      for (const path of ['/users/ann', '/orgs/guild', '/repos/ann/desk']) {
        const addresses = [(await theirs(path)).avatar_url, (await ours(path)).avatar_url]
        const [a, b] = await Promise.all(addresses.map(async (address) => (await fetch(address)).bytes()))
        expect([path, addresses[1], Buffer.from(b!)]).toEqual([
          path,
          expect.stringContaining(world.target.url),
          Buffer.from(a!),
        ])
      }
      expect((await ours('/repos/ann/desk')).created_at).toBe((await theirs('/repos/ann/desk')).created_at)
      expect(names(await ours('/user/emails?sudo=ann'), 'email')).toEqual(['ann@example.test', 'ann@second.test'])
      expect(names(await ours('/users/ann/following'))).toEqual(['boss'])
      expect(names(await ours('/user/blocks?sudo=bob'))).toEqual(['boss'])
      const teams = await ours('/orgs/guild/teams')
      expect(names(teams, 'name')).toEqual(['Owners', 'makers'])
      const makers = teams.find(({ name }: Any) => name === 'makers')
      expect(makers.units_map).toMatchObject({ 'repo.code': 'write', 'repo.issues': 'read' })
      expect(names(await ours(`/teams/${makers.id}/members`))).toEqual(['bob'])
      expect(names(await ours(`/teams/${makers.id}/repos`), 'name')).toEqual(['tools'])
      expect(names(await ours('/orgs/guild/public_members'))).toEqual(['ann'])
      expect(await ours('/orgs/guild/labels')).toMatchObject([{ name: 'kind/bug', exclusive: true }])
      for (const place of ['/orgs/guild', '/repos/ann/desk'])
        expect(await ours(`${place}/hooks`)).toMatchObject([
          { active: false, config: { url: 'https://hooks.test/in' } },
        ])
      expect(await ours('/user/actions/variables?sudo=ann')).toMatchObject([{ name: 'COLOR', data: 'red' }])
      expect(await ours('/orgs/guild/actions/variables')).toMatchObject([{ name: 'PLACE', data: 'here' }])
      expect(await ours('/repos/ann/desk/actions/variables')).toMatchObject([{ name: 'SIZE', data: '7' }])
      expect(await ours('/repos/guild/tools')).toMatchObject({ private: true, empty: false })
      expect(names((await ours('/repos/guild/tools/issues/1')).assignees)).toEqual(['bob'])
      expect(await ours('/repos/ann/old')).toMatchObject({ archived: true })
      const fork = await ours('/repos/bob/desk-fork')
      expect([fork.fork, fork.parent.full_name]).toEqual([true, 'ann/desk'])
      expect(await ours('/repos/ann/desk')).toMatchObject({
        has_projects: false,
        default_merge_style: 'squash',
        stars_count: 1,
        forks_count: 1,
      })
      expect(names(await ours('/repos/ann/desk/collaborators'))).toEqual(['bob'])
      expect(names(await ours('/repos/ann/desk/subscribers'))).toEqual(
        names(await theirs('/repos/ann/desk/subscribers')),
      )
      expect(names(await ours('/repos/ann/desk/keys'), 'title')).toEqual(['deploy'])
      const issues = await ours('/repos/ann/desk/issues?state=all')
      expect(issues.map(({ number, title, user }: Any) => [number, title, user.login]).toSorted()).toEqual([
        [1, 'first', 'bob'],
        [2, 'second', 'ann'],
      ])
      await world.target.drain()
      for (const name of ['ann', 'bob', 'boss'])
        expect([name, await ours(`/notifications?all=true&sudo=${name}`)]).toEqual([name, []])
      expect(await findWrongCounters(world.target.app.database.read)).toEqual([])
      const verified = await world.run('verify')
      expect([verified.code, verified.stdout]).toEqual([
        0,
        expect.stringMatching(/^\d{2} objects compared, 0 differences/),
      ])
    },
    TIMEOUT,
  )

  it(
    'imports what has changed in a second run, and nothing twice',
    async () => {
      const before = await ours('/repos/guild/tools')
      await world.ann.client.post('/repos/ann/desk/issues/2/comments', { body: 'later' })
      await world.ann.client.post('/repos/ann/desk/issues', { title: 'third' })
      await world.boss.client.post('/user/repos', { name: 'late', auto_init: true })
      await world.boss.client.patch('/admin/users/ann', { email: 'ann@third.test' })
      const { code, stdout } = await world.run('server')
      expect([code, stdout.includes('repository: 5 read, 2 written')], stdout).toEqual([0, true])
      expect((await ours('/users/ann')).email).toBe('ann@third.test')
      const secret = (place: string): string =>
        `  hook https://hooks.test/in of ${place}: it is inactive until its secret is entered`
      for (const line of [secret('guild'), secret('ann/desk'), '  secret KEY of ann/desk'])
        expect(stdout.split('Enter again:')[1]).toContain(line)
      const [hook] = await ours('/orgs/guild/hooks')
      const entered = { config: { secret: 'entered' }, active: true }
      expect((await world.admin.client.patch(`/orgs/guild/hooks/${hook.id}`, entered)).status).toBe(200)
      const password = 'Corr3ct-horse!'
      expect((await world.admin.client.patch('/admin/users/bob', { password })).status).toBe(200)
      const browser = createBrowser(world.target.url)
      await browser.open('/user/login')
      expect((await browser.send({ user_name: 'bob', password })).text).toContain('Signed in as <strong>bob</strong>')
      const third = (await world.run('server')).stdout
      expect(third.split('Accounts without a password')[1], 'bob has signed in').toMatch(/:\n {2}ann\n {2}boss\n/)
      expect([third.includes(secret('guild')), third.includes(secret('ann/desk'))], third).toEqual([false, true])
      expect((await ours('/repos/guild/tools')).id).toBe(before.id)
      expect(names(await ours('/repos/ann/desk/issues?state=all'), 'title')).toEqual(['first', 'second', 'third'])
      expect(names(await ours('/repos/ann/desk/issues/2/comments'), 'body')).toEqual(['later'])
      expect(names(await ours('/repos/ann/desk/collaborators'))).toEqual(['bob'])
      expect((await ours('/repos/bob/desk-fork')).parent.full_name).toBe('ann/desk')
      expect(names(await ours('/admin/users'))).toEqual(['ann', 'bob', 'boss', 'root'])
      expect(names(await ours('/repos/search?limit=50').then(({ data }) => data), 'full_name')).toEqual([
        'ann/desk',
        'ann/old',
        'bob/desk-fork',
        'boss/late',
        'guild/tools',
      ])
    },
    TIMEOUT,
  )

  it(
    'verify names what differs',
    async () => {
      expect((await world.run('verify')).stdout).toContain(' 0 differences')
      await world.ann.client.patch('/repos/ann/desk/issues/1', { title: 'renamed' })
      await world.boss.client.patch('/orgs/guild', { description: 'changed' })
      await world.boss.client.post('/user/repos', { name: 'latest' })
      const { code, stdout } = await world.run('verify')
      expect([code, stdout.split('\n').slice(0, 3).toSorted()]).toEqual([
        1,
        [
          'ann/desk: issue 1 differs',
          'organization guild: description is "of makers", not "changed"',
          'repository boss/latest is missing',
        ],
      ])
      await world.boss.client.delete('/repos/boss/latest')
    },
    TIMEOUT,
  )

  it(
    'does not replace a repository that was changed here',
    async () => {
      await world.admin.client.post('/repos/ann/desk/issues', { title: 'made here' })
      await world.ann.client.post('/repos/ann/desk/issues', { title: 'made there' })
      const { code, stdout } = await world.run('server')
      expect([code, stdout]).toEqual([3, expect.stringContaining('repository ann/desk: it changed at both servers')])
      expect(names(await ours('/repos/ann/desk/issues?state=all'), 'title')).toContain('made here')
    },
    TIMEOUT,
  )
})
