import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { asId } from '../../src/core/platform/crypto/ids.ts'
import { row, rows } from '../harness/expect.ts'
import { startServer, type TestServer } from '../harness/server.ts'
import type { Person } from '../harness/world.ts'
import { startUpstream, type Upstream } from './upstream.ts'

let now = Date.UTC(2026, 0, 1)
let server: TestServer
let upstream: Upstream
let ann: Person
let bob: Person
let count = 0

beforeAll(async () => {
  server = await startServer({ clock: { now: () => now } })
  upstream = await startUpstream()
  ann = await server.world.user('ann')
  bob = await server.world.user('bob')
})
afterAll(async () => {
  await server.close()
  await upstream.close()
})
afterEach(() => {
  upstream.login = undefined
})

/** A source with a mirror of it, both under the same name. */
async function mirror(options: object = {}): Promise<string> {
  const name = `m${++count}`
  await upstream.create(name)
  const made = await ann.client.post('/repos/migrate', {
    clone_addr: `${upstream.url}/${name}.git`,
    repo_name: name,
    mirror: true,
    ...options,
  })
  expect(made.status).toBe(201)
  return name
}

const repo = async (name: string) => (await ann.client.get(`/repos/ann/${name}`)).json
const branches = async (name: string): Promise<string[]> =>
  (await ann.client.get(`/repos/ann/${name}/branches`)).json.map((branch: { name: string }) => branch.name).toSorted()
const mirrorRow = async (name: string) => row(server, 'mirror', { repo_id: (await row(server, 'repo', { name })).id })

async function sync(name: string): Promise<void> {
  expect(await ann.client.post(`/repos/ann/${name}/mirror-sync`)).toMatchObject({ status: 200, text: '' })
  await server.drain()
}

describe('pull mirrors', () => {
  it('are synced by writers only, and only when they are mirrors', async () => {
    const name = await mirror()
    await server.world.repo({ owner: ann, name: 'ordinary' })
    expect((await server.anonymous.post(`/repos/ann/${name}/mirror-sync`)).status).toBe(401)
    expect((await bob.client.post(`/repos/ann/${name}/mirror-sync`)).status).toBe(403)
    expect(await ann.client.post('/repos/ann/ordinary/mirror-sync')).toMatchObject({
      status: 400,
      json: { message: 'Repository is not a mirror' },
    })
  })

  it('get commits, branches and tags, recorded as pushes of the mirror', async () => {
    const name = await mirror()
    await upstream.commit(name, 'second.txt')
    await upstream.run(name, 'checkout', '-q', '-b', 'feature')
    await upstream.run(name, 'tag', 'v1')
    await upstream.commit(name, 'third.txt')
    now += 60_000
    await sync(name)
    expect(await branches(name)).toEqual(['feature', 'main'])
    expect((await ann.client.get(`/repos/ann/${name}/contents/second.txt`)).status).toBe(200)
    expect((await ann.client.get(`/repos/ann/${name}/tags`)).json).toMatchObject([{ name: 'v1' }])
    expect(await repo(name)).toMatchObject({
      branch_count: 2,
      mirror: true,
      mirror_updated: new Date(now).toISOString().replace('.000', ''),
    })
    const { repo_id } = await mirrorRow(name)
    const event = await row(server, 'event', { repo_id, kind: 'repo.pushed' })
    expect(event.actor_id).toBe(ann.user.id)
    const payload = JSON.parse(event.payload) as { is_mirror_sync: boolean; updates: { ref: string }[] }
    expect(payload.is_mirror_sync).toBe(true)
    expect(payload.updates.map(({ ref }) => ref).toSorted()).toEqual([
      'refs/heads/feature',
      'refs/heads/main',
      'refs/tags/v1',
    ])
    const recorded = (await ann.client.get(`/repos/ann/${name}/activities/feeds`)).json.map(
      (activity: { op_type: string; ref_name: string }) => `${activity.op_type} ${activity.ref_name}`,
    )
    expect(recorded).toEqual(
      expect.arrayContaining([
        'mirror_sync_push refs/heads/main',
        'mirror_sync_create refs/heads/feature',
        'mirror_sync_create refs/tags/v1',
      ]),
    )
    expect(await server.app.pushes.reconcile(repo_id as never)).toBe(false)
  })

  it('list the remote once if nothing has changed', async () => {
    const name = await mirror()
    const before = upstream.requests.length
    await sync(name)
    expect(upstream.requests.slice(before).map((line) => line.replace(/\?.*/, ''))).toEqual([
      `GET /${name}.git/info/refs`,
      `POST /${name}.git/git-upload-pack`,
    ])
    const { repo_id, last_error } = await mirrorRow(name)
    expect(last_error).toBe('')
    expect(await rows(server, 'push', { repo_id })).toEqual([])
  })

  it('accept forced updates, and prune deleted refs unless pruning is disabled', async () => {
    const name = await mirror()
    await upstream.run(name, 'checkout', '-q', '-b', 'gone')
    await upstream.commit(name, 'gone.txt')
    await sync(name)
    await upstream.run(name, 'checkout', '-q', 'main')
    await upstream.run(name, 'branch', '-D', 'gone')
    await upstream.run(name, 'commit', '-q', '--amend', '-m', 'rewritten')
    await upstream.push(name)
    expect((await ann.client.patch(`/repos/ann/${name}`, { enable_prune: false })).status).toBe(200)
    await sync(name)
    expect(await branches(name)).toEqual(['gone', 'main'])
    expect((await ann.client.get(`/repos/ann/${name}/branches/main`)).json.commit.message.trim()).toBe('rewritten')
    await ann.client.patch(`/repos/ann/${name}`, { enable_prune: true })
    await sync(name)
    expect(await branches(name)).toEqual(['main'])
    expect((await repo(name)).branch_count).toBe(1)
  })

  it('replace a branch a by a branch a/b', async () => {
    const name = await mirror()
    await upstream.run(name, 'branch', 'topic')
    await upstream.push(name)
    await sync(name)
    await upstream.run(name, 'branch', '-m', 'topic', 'topic/one')
    await upstream.push(name)
    await sync(name)
    expect(await branches(name)).toEqual(['main', 'topic/one'])
    expect((await mirrorRow(name)).last_error).toBe('')
  })

  it('use the HEAD of the source, and retain their own default branch until it changes', async () => {
    const name = await mirror()
    await upstream.run(name, 'branch', '-m', 'main', 'trunk')
    await upstream.run(name, 'branch', 'other')
    await upstream.run(name, '--git-dir', `../../bare/${name}.git`, 'symbolic-ref', 'HEAD', 'refs/heads/trunk')
    await upstream.push(name)
    await sync(name)
    expect((await repo(name)).default_branch).toBe('trunk')
    await ann.client.patch(`/repos/ann/${name}`, { default_branch: 'other' })
    await sync(name)
    expect((await repo(name)).default_branch).toBe('other')
    await upstream.run(name, 'branch', 'newest')
    await upstream.push(name)
    await upstream.run(name, '--git-dir', `../../bare/${name}.git`, 'symbolic-ref', 'HEAD', 'refs/heads/newest')
    await sync(name)
    expect((await repo(name)).default_branch).toBe('newest')
    await upstream.run(name, '--git-dir', `../../bare/${name}.git`, 'symbolic-ref', 'HEAD', 'refs/heads/trunk')
    await sync(name)
    expect((await repo(name)).default_branch).toBe('trunk')
  })

  it('store the reason of a failed sync for administrators, and retry later', async () => {
    const name = await mirror({ mirror_interval: '1h', auth_username: 'joe', auth_password: 'old-s3cret' })
    upstream.login = 'joe:new-s3cret'
    await sync(name)
    const failed = await mirrorRow(name)
    expect(failed.last_error).toContain('the repository does not exist or needs other credentials')
    expect(failed.last_error).not.toContain('s3cret')
    expect(failed.next_sync_at).toBe(now + 3_600_000)
    expect((await repo(name)).mirror_last_error).toBe(failed.last_error)
    expect((await bob.client.get(`/repos/ann/${name}`)).json.mirror_last_error).toBeUndefined()
    upstream.login = 'joe:old-s3cret'
    await sync(name)
    expect(await mirrorRow(name)).toMatchObject({ last_error: '' })
    expect((await repo(name)).mirror_last_error).toBeUndefined()
  })

  it('use new credentials of an edit, which keeps what it does not name and shows nothing', async () => {
    const name = await mirror({ auth_username: 'joe', auth_password: 'old-s3cret' })
    const edit = (members: object) => ann.client.patch(`/repos/ann/${name}`, members)
    const answer = await edit({ mirror_password: 'new-s3cret' })
    expect([answer.status, answer.text.includes('s3cret')]).toEqual([200, false])
    upstream.login = 'joe:new-s3cret'
    await sync(name)
    expect((await mirrorRow(name)).last_error).toBe('')
    const synced = (await repo(name)).mirror_last_sync_at
    await edit({ mirror_token: 't0ken' })
    now += 60_000
    await sync(name)
    expect((await mirrorRow(name)).last_error).not.toBe('')
    expect((await repo(name)).mirror_last_sync_at).toBe(synced)
    upstream.login = 'oauth2:t0ken'
    await sync(name)
    expect((await mirrorRow(name)).last_error).toBe('')
    expect((await edit({ mirror_username: 7 })).status).toBe(422)
    expect((await edit({ mirror_username: '', mirror_password: '' })).status).toBe(200)
    expect((await mirrorRow(name)).credentials).toBe('')
  })

  it('become ordinary repositories, which syncs no longer change', async () => {
    const name = await mirror()
    const convert = (by: Person) => by.client.post(`/repos/ann/${name}/convert`)
    expect((await convert(bob)).status).toBe(403)
    upstream.before = async (path) => {
      if (path.includes('git-upload-pack') && !path.includes('info/refs')) await convert(ann)
    }
    await upstream.commit(name, 'second.txt')
    await sync(name)
    upstream.before = () => {}
    expect(await repo(name)).toMatchObject({ mirror: false, mirror_interval: '' })
    expect((await ann.client.get(`/repos/ann/${name}/contents/second.txt`)).status).toBe(404)
    expect(await rows(server, 'mirror', { repo_id: (await row(server, 'repo', { name })).id })).toEqual([])
    const content = Buffer.from('own').toString('base64')
    expect((await ann.client.post(`/repos/ann/${name}/contents/own.txt`, { content })).status).toBe(201)
    expect((await convert(ann)).status).toBe(422)
  })

  it('are not emptied by a source without branches', async () => {
    const name = await mirror()
    await upstream.run(name, '--git-dir', `../../bare/${name}.git`, 'update-ref', '-d', 'refs/heads/main')
    await sync(name)
    expect(await branches(name)).toEqual(['main'])
    expect((await mirrorRow(name)).last_error).toBe('the other repository has no branches; nothing was removed here')
  })

  it('are synced when due, unless archived', async () => {
    const [due, later, byHand] = [
      await mirror({ mirror_interval: '1h' }),
      await mirror({ mirror_interval: '10h' }),
      await mirror({ mirror_interval: '0' }),
    ]
    for (const name of [due, later, byHand]) await upstream.commit(name, 'new.txt')
    const tick = async (): Promise<void> => {
      await server.app.background.schedule.run('update_mirrors')
      await server.drain()
    }
    const have = async (name: string): Promise<number> =>
      (await ann.client.get(`/repos/ann/${name}/contents/new.txt`)).status
    await tick()
    expect(await have(due)).toBe(404)
    now += 2 * 3_600_000
    await tick()
    expect([await have(due), await have(later), await have(byHand)]).toEqual([200, 404, 404])
    const { repo_id } = await mirrorRow(later)
    await server.app.database.transaction((tx) =>
      tx.updateTable('repo').set({ is_archived: 1 }).where('id', '=', repo_id).execute(),
    )
    now += 24 * 3_600_000
    await tick()
    expect([await have(later), await have(byHand)]).toEqual([404, 404])
    expect((await ann.client.post(`/repos/ann/${later}/mirror-sync`)).status).toBe(423)
    expect((await ann.client.patch(`/repos/ann/${byHand}`, { mirror_interval: '1h' })).json).toMatchObject({
      mirror_interval: '1h0m0s',
    })
    now += 2 * 3_600_000
    await tick()
    expect(await have(byHand)).toBe(200)
  })

  it('sync the wiki', async () => {
    const name = `m${count + 1}`
    await upstream.create(`${name}.wiki`)
    await mirror({ wiki: true })
    const head = await upstream.commit(`${name}.wiki`, 'Page.md')
    await sync(name)
    const { id, storage, wiki_oid } = await row(server, 'repo', { name })
    expect([wiki_oid, await server.app.wikis.inspect(asId(id))]).toEqual([head, undefined])
    expect(
      (await server.app.git.open({ storage: `${storage}.wiki`, objectFormat: 'sha1' }).refs.snapshot()).get(
        'refs/heads/main',
      )?.oid,
    ).toBe(head)
  })

  it('do not change a wiki of their own', async () => {
    const name = await mirror()
    expect(
      (await ann.client.post(`/repos/ann/${name}/wiki/new`, { title: 'Home', content_base64: 'aGk=' })).status,
    ).toBe(201)
    await sync(name)
    expect((await mirrorRow(name)).last_error).toBe('')
    expect((await ann.client.get(`/repos/ann/${name}/wiki/page/Home`)).status).toBe(200)
  })

  it('accept tags, and refuse branches, files and pushes', async () => {
    const name = await mirror()
    expect((await ann.client.post(`/repos/ann/${name}/tags`, { tag_name: 'mine' })).status).toBe(201)
    expect((await ann.client.post(`/repos/ann/${name}/branches`, { new_branch_name: 'x' })).status).toBe(403)
    expect((await ann.client.post(`/repos/ann/${name}/contents/x`, { content: 'aGk=' })).status).toBe(423)
    await sync(name)
    expect((await ann.client.get(`/repos/ann/${name}/tags`)).json).toEqual([])
  })

  it('report credentials that were lost with the secret key', async () => {
    const name = await mirror({ auth_username: 'joe', auth_password: 'pw' })
    const { repo_id, credentials } = await mirrorRow(name)
    await server.app.database.transaction((tx) =>
      tx
        .updateTable('mirror')
        .set({ credentials: `${credentials.slice(0, -6)}AAAAAA` })
        .where('repo_id', '=', repo_id)
        .execute(),
    )
    await sync(name)
    expect((await mirrorRow(name)).last_error).toContain('the stored credentials cannot be read any more')
  })

  it('can be disabled', async () => {
    const off = await startServer({ settings: { 'mirror.enabled': 'false' } })
    try {
      const eve = await off.world.user('eve')
      await off.world.repo({ owner: eve, name: 'r' })
      expect(await eve.client.post('/repos/eve/r/mirror-sync')).toMatchObject({
        status: 400,
        json: { message: 'Mirror feature is disabled' },
      })
    } finally {
      await off.close()
    }
  })
})
