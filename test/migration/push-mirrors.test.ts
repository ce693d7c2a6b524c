import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Repo } from '../../src/domains/repositories/index.ts'
import { rows } from '../harness/expect.ts'
import { startServer, type TestServer } from '../harness/server.ts'
import type { Person } from '../harness/world.ts'
import { startUpstream, type Upstream } from './upstream.ts'

let now = Date.UTC(2026, 0, 1)
let server: TestServer
let other: Upstream
let ann: Person
let bob: Person
let count = 0

/** The block has a server, another git server and users of its own. */
function useWorld(): void {
  beforeAll(async () => {
    server = await startServer({ clock: { now: () => now }, ssh: true })
    other = await startUpstream()
    ann = await server.world.user('ann')
    bob = await server.world.user('bob')
  })
  afterAll(async () => {
    await server.close()
    await other.close()
  })
  afterEach(() => {
    other.login = undefined
  })
}

interface Pair {
  readonly repo: Repo
  readonly name: string
  readonly path: string
  /** Address at the other server. */
  readonly address: string
}

async function pair(): Promise<Pair> {
  const name = `p${++count}`
  await other.create(name)
  return {
    repo: await server.world.repo({ owner: ann, name, autoInit: true }),
    name,
    path: `/repos/ann/${name}/push_mirrors`,
    address: `${other.url}/${name}.git`,
  }
}

const refsOf = async (name: string): Promise<string[]> =>
  (await other.run(name, 'ls-remote', 'origin', 'refs/*')).split('\n').map((line) => line.split('\t')[1]!)
const write = (name: string, file: string) =>
  ann.client.post(`/repos/ann/${name}/contents/${file}`, { content: 'aGk=', message: file })

describe('push mirrors', () => {
  useWorld()

  it('are for administrators of the repository', async () => {
    const { path, address } = await pair()
    const body = { remote_address: address, interval: '8h' }
    for (const client of [server.anonymous, bob.client]) {
      expect((await client.get(path)).status).toBe(403)
      expect((await client.post(path, body)).status).toBe(403)
      expect((await client.delete(`${path}/x`)).status).toBe(403)
      expect((await client.post(`${path}-sync`)).status).toBe(403)
    }
    const hidden = await server.world.repo({ owner: ann, name: `hidden${count}`, isPrivate: true })
    expect((await bob.client.get(`/repos/ann/${hidden.name}/push_mirrors`)).status).toBe(404)
  })

  it('are created, listed, read and deleted, and never return a secret', async () => {
    const { path, address, name } = await pair()
    const made = await ann.client.post(path, {
      remote_address: address.replace('://', '://joe:s3cret@'),
      interval: '8h',
      sync_on_commit: true,
    })
    expect(made.json).toEqual({
      branch_filter: '',
      repo_name: name,
      remote_name: expect.stringMatching(/^remote_mirror_[A-Za-z0-9]{10}$/),
      remote_address: address,
      created: '2026-01-01T00:00:00Z',
      last_update: '1970-01-01T00:00:00Z',
      last_error: '',
      interval: '8h0m0s',
      sync_on_commit: true,
      public_key: '',
    })
    await ann.client.post(path, {
      remote_address: address,
      interval: '0',
      remote_username: 'joe',
      remote_password: 's3cret',
    })
    const list = await ann.client.get(`${path}?limit=1`)
    expect(list.json).toEqual([made.json])
    expect([list.headers.get('x-total-count'), list.headers.get('link')]).toEqual([
      '2',
      expect.stringContaining('rel="next"'),
    ])
    expect((await ann.client.get(`${path}/${made.json.remote_name}`)).json).toEqual(made.json)
    expect(JSON.stringify(await rows(server, 'push_mirror'))).not.toContain('s3cret')
    for (const _ of [1, 2]) expect((await ann.client.delete(`${path}/${made.json.remote_name}`)).status).toBe(204)
    expect((await ann.client.get(`${path}/${made.json.remote_name}`)).status).toBe(404)
    expect((await ann.client.get(path)).headers.get('x-total-count')).toBe('1')
  })

  it.each([
    [{ interval: undefined }, 400, 'time: invalid duration ""'],
    [{ interval: 'soon' }, 400, 'time: invalid duration "soon"'],
    [{ interval: '1s' }, 400, 'interval 1s is set below Minimum Interval of 10m0s'],
    [{ remote_address: 'git://127.0.0.1/x.git' }, 400, 'Invalid mirror protocol'],
    [{ remote_address: 'ssh://git@127.0.0.1/x.git' }, 400, 'Invalid mirror protocol'],
    [{ remote_address: 'http://127.0.0.1/x.git', use_ssh: true }, 400, 'Invalid mirror protocol'],
    [{ remote_address: 'http://[::1/x' }, 400, 'Invalid Url '],
    [{ remote_address: '' }, 400, 'Invalid Url '],
    [{ remote_address: '/srv/x.git' }, 401, 'Permission denied'],
    [{ remote_address: 'file:///srv/x.git' }, 401, 'Permission denied'],
    [
      { remote_address: 'ssh://git@127.0.0.1/x', use_ssh: true, remote_password: 'x' },
      400,
      'use_ssh is mutually exclusive with remote_username and remote_password',
    ],
  ])('refuse %j', async (change, status, message) => {
    const { path, address } = await pair()
    expect(await ann.client.post(path, { remote_address: address, interval: '8h', ...change })).toMatchObject({
      status,
      json: { message },
    })
    expect((await ann.client.get(path)).json).toEqual([])
  })

  it('make the remote equal, with forced updates, tags and pruning', async () => {
    const { path, name, address } = await pair()
    await other.run(name, 'branch', 'theirs')
    await other.push(name)
    other.login = 'joe:s3cret'
    await ann.client.post(path, {
      remote_address: address,
      interval: '8h',
      remote_username: 'joe',
      remote_password: 's3cret',
    })
    await ann.client.post(`/repos/ann/${name}/branches`, { new_branch_name: 'mine' })
    await ann.client.post(`/repos/ann/${name}/tags`, { tag_name: 'v1' })
    expect(await ann.client.post(`${path}-sync`)).toMatchObject({ status: 200, json: { synced: 1 } })
    expect(await refsOf(name)).toEqual(['refs/heads/main', 'refs/heads/mine', 'refs/tags/v1'])
    expect((await ann.client.get(path)).json).toMatchObject([{ last_error: '', last_update: '2026-01-01T00:00:00Z' }])
    expect((await other.run(name, 'ls-remote', 'origin', 'refs/heads/main')).split('\t')[0]).toBe(
      (await ann.client.get(`/repos/ann/${name}/branches/main`)).json.commit.id,
    )
  })

  it('get only the branches of their filter', async () => {
    const { name, path, address } = await pair()
    const branch = (branch: string) =>
      ann.client.post(`/repos/ann/${name}/branches`, { new_branch_name: branch, old_branch_name: 'main' })
    for (const one of ['rel/1', 'rel/2', 'secret']) expect((await branch(one)).status).toBe(201)
    await ann.client.post(`/repos/ann/${name}/tags`, { tag_name: 'v1' })
    const made = { remote_address: address, interval: '8h', branch_filter: 'main, rel/*,absent' }
    expect((await ann.client.post(path, made)).json).toMatchObject({ branch_filter: made.branch_filter })
    expect((await ann.client.post(`${path}-sync`)).status).toBe(200)
    expect(await refsOf(name)).toEqual(['refs/heads/main', 'refs/heads/rel/1', 'refs/heads/rel/2', 'refs/tags/v1'])
    await ann.client.delete(`/repos/ann/${name}/branches/rel/1`)
    expect((await ann.client.post(`${path}-sync`)).status).toBe(200)
    expect(await refsOf(name)).toEqual(['refs/heads/main', 'refs/heads/rel/2', 'refs/tags/v1'])
    for (const wrong of ['a*b*c', 'x..y', 'a b:refs/heads/c'])
      expect([wrong, (await ann.client.post(path, { ...made, branch_filter: wrong })).status]).toEqual([wrong, 422])
  })

  it('report failures without secrets', async () => {
    const { path, name, address } = await pair()
    other.login = 'joe:new'
    await ann.client.post(path, {
      remote_address: address,
      interval: '8h',
      remote_username: 'joe',
      remote_password: 'old-s3cret',
    })
    const failed = await ann.client.post(`${path}-sync`)
    expect(failed.status).toBe(503)
    const [mirror] = (await ann.client.get(path)).json
    expect(mirror).toMatchObject({
      last_update: '1970-01-01T00:00:00Z',
      last_error: 'the repository does not exist or needs other credentials',
    })
    expect(JSON.stringify([failed.json, mirror])).not.toContain('s3cret')
    other.login = undefined
    await other.run(name, '--git-dir', `../../bare/${name}.git`, 'config', 'receive.denyNonFastForwards', 'true')
    expect((await ann.client.post(`${path}-sync`)).json.message).toContain(
      'refs/heads/main [remote rejected] (non-fast-forward)',
    )
    expect((await ann.client.post(`/repos/ann/${name}/push_mirrors-sync`)).text).not.toContain(server.dataDir)
  })

  it('do nothing for repositories that are empty or have no mirrors', async () => {
    const { name, address } = await pair()
    const empty = await server.world.repo({ owner: ann, name: `empty${count}` })
    const sync = () => ann.client.post(`/repos/ann/${empty.name}/push_mirrors-sync`)
    expect(await sync()).toMatchObject({ status: 200, json: { synced: 0 } })
    await ann.client.post(`/repos/ann/${empty.name}/push_mirrors`, { remote_address: address, interval: '8h' })
    expect(await sync()).toMatchObject({ status: 200, json: { synced: 1 } })
    expect(await refsOf(name)).toEqual(['refs/heads/main'])
  })

  it('are pushed to after every commit only if configured', async () => {
    const [eager, lazy] = [await pair(), await pair()]
    await ann.client.post(eager.path, { remote_address: eager.address, interval: '0', sync_on_commit: true })
    await ann.client.post(lazy.path, { remote_address: lazy.address, interval: '0' })
    const before = await refsOf(lazy.name)
    for (const { name } of [eager, lazy])
      await ann.client.post(`/repos/ann/${name}/branches`, { new_branch_name: 'new' })
    await server.drain()
    expect(await refsOf(eager.name)).toEqual(['refs/heads/main', 'refs/heads/new'])
    expect(await refsOf(lazy.name)).toEqual(before)
  })

  it('are pushed to when due', async () => {
    const { path, name, address } = await pair()
    await ann.client.post(path, { remote_address: address, interval: '1h' })
    const tick = async (): Promise<void> => {
      await server.app.background.schedule.run('update_mirrors')
      await server.drain()
    }
    await tick()
    const first = await other.run(name, 'ls-remote', 'origin', 'refs/heads/main')
    await write(name, 'more.txt')
    now += 30 * 60_000
    await tick()
    expect(await other.run(name, 'ls-remote', 'origin', 'refs/heads/main')).toBe(first)
    now += 31 * 60_000
    await tick()
    expect(await other.run(name, 'ls-remote', 'origin', 'refs/heads/main')).not.toBe(first)
  })

  it('push the wiki if there is one, and report its failure', async () => {
    const { path, name, address } = await pair()
    await ann.client.post(path, { remote_address: address, interval: '0', sync_on_commit: true })
    const lastError = async (): Promise<string> => (await ann.client.get(path)).json[0].last_error
    const addPage = async (title: string): Promise<void> => {
      expect((await ann.client.post(`/repos/ann/${name}/wiki/new`, { title, content_base64: 'aGk=' })).status).toBe(201)
      await server.drain()
    }
    const inWiki = (...args: string[]): Promise<string> =>
      other.run(`${name}.wiki`, '--git-dir', `../../bare/${name}.wiki.git`, ...args)
    await addPage('Home')
    expect(await lastError()).toBe('') // a wiki that nobody has made there yet
    expect(await refsOf(name)).toEqual(['refs/heads/main'])
    await other.create(`${name}.wiki`)
    await inWiki('config', 'http.receivepack', 'false')
    await addPage('Second')
    expect(await lastError()).toMatch(/^wiki: /)
    await inWiki('config', 'http.receivepack', 'true')
    await addPage('Third')
    expect(await lastError()).toBe('')
    expect(await inWiki('ls-tree', '--name-only', 'main')).toBe('Home.md\nSecond.md\nThird.md')
    const seen = other.requests.length
    await ann.client.patch(`/repos/ann/${name}`, { has_wiki: false })
    expect((await ann.client.post(`${path}-sync`)).status).toBe(200)
    expect(other.requests.slice(seen).filter((line) => line.includes('.wiki.git'))).toEqual([])
  })

  it('are not pushed to while the repository is archived', async () => {
    const { path, name, address } = await pair()
    const { remote_name } = (
      await ann.client.post(path, { remote_address: address, interval: '1h', sync_on_commit: true })
    ).json
    await write(name, 'last.txt')
    await ann.client.patch(`/repos/ann/${name}`, { archived: true })
    const before = await refsOf(name)
    const seen = other.requests.length
    now += 2 * 3_600_000
    await server.app.background.schedule.run('update_mirrors')
    await server.drain()
    expect(other.requests.slice(seen).filter((line) => line.includes(`/${name}.git`))).toEqual([])
    expect(await refsOf(name)).toEqual(before)
    expect((await ann.client.get(path)).status).toBe(200)
    expect((await ann.client.post(`${path}-sync`)).status).toBe(423)
    expect((await ann.client.post(path, { remote_address: address, interval: '1h' })).status).toBe(423)
    expect((await ann.client.delete(`${path}/${remote_name}`)).status).toBe(423)
  })

  it('push by SSH with their own key', async () => {
    const source = await server.world.repo({ owner: ann, name: `ssh-source${++count}`, autoInit: true })
    const target = await server.world.repo({ owner: bob, name: `ssh-target${count}` })
    const path = `/repos/ann/${source.name}/push_mirrors`
    const made = await ann.client.post(path, {
      remote_address: `${server.app.site.sshPrefix()}bob/${target.name}.git`,
      interval: '0',
      use_ssh: true,
    })
    expect(made).toMatchObject({
      status: 200,
      json: { public_key: expect.stringMatching(/^ssh-ed25519 \S+ ingot push mirror$/) },
    })
    expect((await ann.client.post(`${path}-sync`)).json.message).toContain('Permission denied')
    expect(
      (
        await bob.client.post(`/repos/bob/${target.name}/keys`, {
          title: 'mirror',
          key: made.json.public_key,
          read_only: false,
        })
      ).status,
    ).toBe(201)
    expect(await ann.client.post(`${path}-sync`)).toMatchObject({ status: 200 })
    expect((await bob.client.get(`/repos/bob/${target.name}/branches/main`)).json.commit.id).toBe(
      (await ann.client.get(`/repos/ann/${source.name}/branches/main`)).json.commit.id,
    )
    expect(JSON.stringify(await rows(server, 'push_mirror'))).not.toContain('PRIVATE KEY')
    expect(readdirSync(join(server.dataDir, 'git', 'staging'))).toEqual([])
  })
})

describe('settings of push mirrors', () => {
  it('reach only allowed hosts, and can be disabled', async () => {
    for (const [settings, status] of [
      [{ 'migrations.allowed_hosts': '' }, 401],
      [{ 'mirror.disable_new_push': 'true' }, 403],
      [{ 'mirror.enabled': 'false' }, 400],
    ] as const) {
      const strict = await startServer({ settings })
      try {
        const eve = await strict.world.user('eve')
        await strict.world.repo({ owner: eve, name: 'r' })
        expect(
          (
            await eve.client.post('/repos/eve/r/push_mirrors', {
              remote_address: 'http://127.0.0.1:9/x.git',
              interval: '8h',
            })
          ).status,
        ).toBe(status)
        expect((await eve.client.get('/repos/eve/r/push_mirrors')).status).toBe(status === 400 ? 400 : 200)
      } finally {
        await strict.close()
      }
    }
  })
})
