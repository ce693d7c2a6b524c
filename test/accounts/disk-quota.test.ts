import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadQuotaUsage } from '../../src/domains/accounts/quota/quota-parts.ts'
import { usedOf } from '../../src/domains/accounts/quota/quota.policy.ts'
import { git, tryGit } from '../core/git/wire/client.ts'
import { PASSWORD, type Person } from '../harness/world.ts'
import { describeOnBoth } from '../harness/databases.ts'
import { startServer, type TestServer } from '../harness/server.ts'
import { basicOf, randomFile, uploadLarge } from '../code/lfs/large-file.ts'
import { startSshFixture, type SshFixture } from '../transports/git-ssh/fixture.ts'

const TOTAL = 1_000_000
const settings = { 'quota.enabled': 'true', 'quota.default_total': String(TOTAL) }

describe('the disk quota', () => {
  let ssh: SshFixture
  let server: TestServer
  let ann: Person
  let bob: Person
  const exceeded = () => ({ message: 'quota exceeded', user_id: ann.user.id, username: 'ann' })

  beforeAll(async () => {
    ssh = await startSshFixture(settings)
    server = ssh.server
    ann = await server.world.user('ann')
    bob = await server.world.user('bob')
    await server.world.repo({ owner: ann, name: 'full', autoInit: true, isTemplate: true })
    await server.world.repo({ owner: bob, name: 'other', autoInit: true, isTemplate: true })
    expect((await ann.client.post('/repos/ann/full/branches', { new_branch_name: 'spare' })).status).toBe(201)
    expect((await ann.client.post('/repos/ann/full/wiki/new', { title: 'Home', content_base64: 'aGk=' })).status).toBe(
      201,
    )
    expect((await ann.client.post('/repos/ann/full/releases', { tag_name: 'v1' })).status).toBe(201)
    expect(
      (
        await bob.client.post('/repos/migrate', {
          clone_addr: `${server.url}/ann/full.git`,
          repo_name: 'follower',
          mirror: true,
        })
      ).status,
    ).toBe(201)
    expect((await bob.client.post('/repos/bob/follower/transfer', { new_owner: 'ann' })).status).toBe(201)
    expect((await ann.client.post('/repos/bob/follower/transfer/accept')).status).toBe(202)
    await uploadLarge(server, ann, 'full', randomFile(TOTAL + 1))
  })
  afterAll(() => ssh.close())

  it('refuses writes to an account that exceeds it', async () => {
    const { json: release } = await ann.client.get('/repos/ann/full/releases/tags/v1')
    const { sha } = (await ann.client.get('/repos/ann/full/contents/README.md')).json
    const tries: [string, () => Promise<{ status: number; json: unknown }>][] = [
      ['create', () => ann.client.post('/user/repos', { name: 'new' })],
      [
        'migrate',
        () => ann.client.post('/repos/migrate', { clone_addr: `${server.url}/bob/other.git`, repo_name: 'new' }),
      ],
      ['fork', () => ann.client.post('/repos/bob/other/forks', {})],
      [
        'generate',
        () => ann.client.post('/repos/bob/other/generate', { owner: 'ann', name: 'new', git_content: true }),
      ],
      ['transfer', () => bob.client.post('/repos/bob/other/transfer', { new_owner: 'ann' })],
      ['tag', () => ann.client.post('/repos/ann/full/tags', { tag_name: 'v2' })],
      ['branch', () => ann.client.post('/repos/ann/full/branches', { new_branch_name: 'x' })],
      ['file', () => ann.client.post('/repos/ann/full/contents/x.txt', { content: 'aGk=' })],
      ['edit', () => ann.client.put('/repos/ann/full/contents/README.md', { content: 'aGk=', sha })],
      ['release', () => ann.client.post('/repos/ann/full/releases', { tag_name: 'v3' })],
      ['edit release', () => ann.client.patch(`/repos/ann/full/releases/${release.id}`, { body: 'x' })],
      ['wiki', () => ann.client.post('/repos/ann/full/wiki/new', { title: 'Two', content_base64: 'aGk=' })],
      ['edit wiki', () => ann.client.patch('/repos/ann/full/wiki/page/Home', { content_base64: 'aG8=' })],
      ['sync', () => ann.client.post('/repos/ann/follower/mirror-sync')],
    ]
    for (const [what, attempt] of tries) {
      const { status, json } = await attempt()
      expect([what, status, json]).toEqual([what, 413, exceeded()])
    }
    const asset = await fetch(`${server.url}/api/v1/repos/ann/full/releases/${release.id}/assets?name=a.txt`, {
      method: 'POST',
      headers: { authorization: basicOf(ann), 'content-type': 'application/octet-stream' },
      body: 'x',
    })
    expect([asset.status, await asset.json()]).toEqual([413, exceeded()])
    expect((await ann.client.get('/repos/ann/new')).status).toBe(404)
  })

  it('refuses LFS uploads with an LFS error', async () => {
    const file = randomFile(10)
    const base = `${server.url}/ann/full.git/info/lfs`
    const headers = { authorization: basicOf(ann), accept: 'application/vnd.git-lfs+json' }
    const batch = (operation: string) =>
      fetch(`${base}/objects/batch`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ operation, objects: [{ oid: file.oid, size: 10 }] }),
      })
    expect((await batch('download')).status).toBe(200)
    const refused = await batch('upload')
    expect([refused.status, await refused.json()]).toEqual([413, { Message: 'quota exceeded' }])
    expect(
      (await fetch(`${base}/objects/${file.oid}/10`, { method: 'PUT', headers, body: new Uint8Array(file.bytes) }))
        .status,
    ).toBe(413)
  })

  it('refuses pushes by HTTP and SSH, to code and wiki, except deletions', async () => {
    const http = `${server.url.replace('://', `://ann:${encodeURIComponent(PASSWORD)}@`)}/ann/full`
    const env = ssh.env(await ssh.keyOf(ann))
    for (const [index, url] of [`${http}.git`, ssh.url('ann/full.git'), `${http}.wiki.git`].entries()) {
      const path = join(ssh.dir, `work${index}`)
      await git(ssh.dir, ['clone', '-q', url, path], { env })
      writeFileSync(join(path, 'more.md'), 'more')
      await git(path, ['add', '.'])
      await git(path, ['commit', '-qm', 'more'])
      const { code, stderr } = await tryGit(path, ['push', 'origin', 'HEAD'], { env })
      expect([code, stderr.includes('remote: error: Quota exceeded')]).toEqual([1, true])
    }
    expect((await tryGit(join(ssh.dir, 'work0'), ['push', '-q', 'origin', ':spare'], { env })).code).toBe(0)
  })

  it('skips the sync of mirrors and records why', async () => {
    expect((await bob.client.get('/repos/ann/full')).status).toBe(200)
    const { id } = (await ann.client.get('/repos/ann/follower')).json
    await server.app.pullMirrors.sync(id, new AbortController().signal)
    expect((await ann.client.get('/repos/ann/follower')).json.mirror_last_error).toBe('Quota exceeded')
  })

  it('does not affect reads, deletions and other accounts', async () => {
    expect((await ann.client.get('/repos/ann/full/contents/README.md')).status).toBe(200)
    expect((await bob.client.post('/user/repos', { name: 'own', auto_init: true })).status).toBe(201)
    expect((await bob.client.post('/repos/ann/full/forks', {})).status).toBe(202)
    expect((await bob.client.post('/repos/bob/full/contents/x.txt', { content: 'aGk=' })).status).toBe(413)
    expect((await ann.client.delete('/repos/ann/full')).status).toBe(204)
    expect((await ann.client.post('/user/repos', { name: 'new' })).status).toBe(201)
  })
})

describeOnBoth('the usage of an owner', (on) => {
  it('counts repositories, LFS objects and attachments; it has no effect unless quotas are enabled', async () => {
    const server = await startServer({ on })
    try {
      const ann = await server.world.user('ann')
      const used = async () =>
        usedOf(await loadQuotaUsage(server.app.quotaParts, server.app.database.read, ann.user.id), 'size:all')
      expect(await used()).toBe(0)
      const repo = await server.world.repo({ owner: ann, name: 'r', autoInit: true })
      await server.app.database.transaction(async (tx) => {
        await tx.updateTable('repo').set({ git_size: 1000, lfs_size: 200 }).where('id', '=', repo.id).execute()
        for (const uuid of ['a', 'b'])
          await tx
            .insertInto('attachment')
            .values({ uuid, repo_id: repo.id, uploader_id: ann.user.id, name: uuid, size: 15, created_at: 1 } as never)
            .execute()
      })
      expect(await used()).toBe(1230)
      expect((await ann.client.post('/user/repos', { name: 'two' })).status).toBe(201)
    } finally {
      await server.close()
    }
  })
})
