import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { git } from '../core/git/wire/client.ts'
import { temporaryFolder } from '../harness/process.ts'
import { row, rows } from '../harness/expect.ts'
import { startServer, type TestServer } from '../harness/server.ts'
import { PASSWORD, type Person } from '../harness/world.ts'
import { addLarge, downloadLarge, hasGitLfs, pointerOf, uploadLarge, type LargeFile } from '../code/lfs/large-file.ts'

let now = Date.UTC(2026, 0, 1)
let source: TestServer
let target: TestServer
/** Owners of the source and of the target. */
let sue: Person
let tom: Person

/** The block has two servers of its own. */
function useWorld(): void {
  beforeAll(async () => {
    source = await startServer({ ssh: true, clock: { now: () => now } })
    target = await startServer({ clock: { now: () => now } })
    sue = await source.world.user('sue')
    tom = await target.world.user('tom')
  })
  afterAll(async () => {
    await source.close()
    await target.close()
  })
}

const credentials = { auth_username: 'sue', auth_password: PASSWORD }
const migrate = (name: string, options: object = {}) =>
  tom.client.post('/repos/migrate', {
    clone_addr: `${source.url}/sue/${name}.git`,
    repo_name: name,
    lfs: true,
    ...credentials,
    ...options,
  })
const blobPath = (server: TestServer, { oid }: LargeFile): string =>
  join(server.dataDir, 'blobs', 'lfs', oid.slice(0, 2), oid.slice(2, 4), oid)
const has = async (name: string, file: LargeFile): Promise<number> =>
  (await downloadLarge(target, tom, name, file)).status
const lastError = async (name: string): Promise<string> =>
  (await tom.client.get(`/repos/tom/${name}`)).json.mirror_last_error ?? ''

async function withFiles(name: string, paths: readonly string[] = ['one.bin', 'two.bin']): Promise<LargeFile[]> {
  await source.world.repo({ owner: sue, name, isPrivate: true, autoInit: true })
  const files: LargeFile[] = []
  for (const path of paths) files.push(await addLarge(source, sue, `${name}/${path}`))
  return files
}

describe('imports with large files', () => {
  useWorld()

  it('have every object of the history, also of deleted files, and count their size', async () => {
    const files = await withFiles('whole')
    const { sha } = (await sue.client.get('/repos/sue/whole/contents/one.bin')).json
    expect((await sue.client.delete('/repos/sue/whole/contents/one.bin', { sha, message: 'gone' })).status).toBe(200)
    const made = await migrate('whole')
    expect(made.status).toBe(201)
    expect(made.json.size).toBeGreaterThanOrEqual(195)
    for (const file of files)
      expect((await downloadLarge(target, tom, 'whole', file)).bytes.equals(file.bytes)).toBe(true)
    expect(await rows(target, 'unfinished_import')).toEqual([])
    await target.app.lfsObjects.sweep(new AbortController().signal)
    expect(await has('whole', files[0]!)).toBe(200)
  })

  it('fetch no large files unless requested', async () => {
    const [file] = await withFiles('without', ['one.bin'])
    expect((await migrate('without', { lfs: false })).status).toBe(201)
    expect(await has('without', file!)).toBe(404)
  })

  it('fail if an object cannot be fetched, and leave nothing', async () => {
    const [file] = await withFiles('broken', ['there.bin'])
    const missing = await addLarge(source, sue, 'broken/lost.bin', { isMissing: true })
    const answer = await migrate('broken')
    expect(answer).toMatchObject({
      status: 422,
      json: { message: `Migration failed: large files (LFS) that did not go through: ${missing.oid}: 404 Not Found.` },
    })
    expect((await tom.client.get('/repos/tom/broken')).status).toBe(404)
    expect(await rows(target, 'lfs_link', { oid: file!.oid })).toEqual([])
    expect((await Array.fromAsync(target.app.lfsBlobs.list())).map(({ hash }) => hash)).not.toContain(file!.oid)
    await uploadLarge(source, sue, 'broken', missing)
    expect((await migrate('broken')).status).toBe(201)
  })

  it('refuse bytes that do not match the pointer', async () => {
    const [file] = await withFiles('false', ['one.bin'])
    rmSync(blobPath(source, file!))
    expect((await migrate('false')).json.message).toContain(`${file!.oid}: status 404`)
  })

  it('fetch from an endpoint of its own, without the credentials of the repository', async () => {
    const [file] = await withFiles('elsewhere', ['one.bin'])
    const public_ = await source.world.repo({ owner: sue, name: 'store' })
    await uploadLarge(source, sue, public_.name, file!)
    const endpoint = `${source.url.replace('127.0.0.1', 'localhost')}/sue/store.git/info/lfs`
    expect((await migrate('elsewhere', { lfs_endpoint: endpoint })).status).toBe(201)
    expect(await has('elsewhere', file!)).toBe(200)
    for (const lfs_endpoint of ['ftp://127.0.0.1/x', '../x', 'file:///etc/passwd'])
      expect(
        await migrate('bad-endpoint', { clone_addr: `${source.url}/sue/elsewhere.git`, lfs_endpoint }),
      ).toMatchObject({ status: 422, json: { message: '[LFSEndpoint]: Url' } })
  })

  it('respect the limits and the allowed hosts of the server', async () => {
    const [file] = await withFiles('bounded', ['one.bin'])
    await addLarge(source, sue, 'bounded/large.bin', { size: 2_000_000 })
    const strict = await startServer({
      settings: { 'migrations.max_size': '1', 'migrations.allowed_hosts': '127.0.0.1' },
    })
    const small = await startServer({ settings: { 'lfs.max_file_size': '1000000' } })
    const none = await startServer({ settings: { 'lfs.enabled': 'false' } })
    try {
      const body = { clone_addr: `${source.url}/sue/bounded.git`, repo_name: 'bounded', lfs: true, ...credentials }
      const answers = await Promise.all(
        [strict, small, none].map(async (server) =>
          (await server.world.user('eve')).client.post('/repos/migrate', body),
        ),
      )
      expect(answers[0]!.json.message).toBe(
        'Migration failed: the repository with its large files (LFS) is larger than this server takes.',
      )
      expect(answers[1]!.json.message).toContain('Size must be less than or equal to 1000000')
      expect(answers[2]!.status).toBe(201)
      const eve = await strict.world.user('mallory')
      expect(
        (await eve.client.post('/repos/migrate', { ...body, lfs_endpoint: 'http://127.0.0.2:1/x' })).json.message,
      ).toMatch(
        /^You can not import from disallowed hosts: connections to \S+ are not allowed by migrations\.allowed_hosts\.$/,
      )
      expect((await Array.fromAsync(strict.app.lfsBlobs.list())).map(({ hash }) => hash)).not.toContain(file!.oid)
    } finally {
      await Promise.all([strict, small, none].map((server) => server.close()))
    }
  })
})

describe.skipIf(!hasGitLfs())('the real client (git-lfs, skipped where it is not installed)', () => {
  useWorld()

  it('clones an imported repository with its large files', async () => {
    const [file] = await withFiles('cloned', ['one.bin'])
    expect((await migrate('cloned', { private: true })).status).toBe(201)
    const folder = temporaryFolder()
    try {
      const config = [
        '-c',
        'filter.lfs.process=git-lfs filter-process',
        '-c',
        'filter.lfs.required=true',
        '-c',
        'filter.lfs.smudge=git-lfs smudge -- %f',
      ]
      const url = `${target.url.replace('://', `://tom:${encodeURIComponent(PASSWORD)}@`)}/tom/cloned.git`
      await git(folder.path, [...config, 'clone', '-q', url, 'copy'], { env: { HOME: folder.path } })
      expect(readFileSync(join(folder.path, 'copy', 'one.bin'), 'utf8')).toBe(pointerOf(file!))
      await git(join(folder.path, 'copy'), [...config, 'lfs', 'fetch', '--all', 'origin'], {
        env: { HOME: folder.path },
      })
      const { oid, bytes } = file!
      expect(
        readFileSync(join(folder.path, 'copy', '.git', 'lfs', 'objects', oid.slice(0, 2), oid.slice(2, 4), oid)).equals(
          bytes,
        ),
      ).toBe(true)
    } finally {
      folder.remove()
    }
  })
})

describe('pull mirrors with large files', () => {
  useWorld()

  const sync = async (name: string): Promise<void> => {
    now += 60_000
    expect((await tom.client.post(`/repos/tom/${name}/mirror-sync`)).status).toBe(200)
    await target.drain()
  }

  it('fetch those of new commits', async () => {
    const [first] = await withFiles('followed', ['one.bin'])
    expect((await migrate('followed', { mirror: true })).status).toBe(201)
    expect(await has('followed', first!)).toBe(200)
    const second = await addLarge(source, sue, 'followed/new.bin')
    await sync('followed')
    expect(await lastError('followed')).toBe('')
    expect(await has('followed', second)).toBe(200)
  })

  it('sync without objects that cannot be fetched, report it, and fetch them later', async () => {
    await withFiles('lagging', ['one.bin'])
    expect((await migrate('lagging', { mirror: true })).status).toBe(201)
    const missing = await addLarge(source, sue, 'lagging/late.bin', { isMissing: true })
    const there = await addLarge(source, sue, 'lagging/there.bin')
    await sync('lagging')
    expect((await tom.client.get('/repos/tom/lagging/contents/late.bin')).status).toBe(200)
    expect(await lastError('lagging')).toBe(`large files (LFS) that did not go through: ${missing.oid}: 404 Not Found`)
    expect(await has('lagging', there)).toBe(200)
    await uploadLarge(source, sue, 'lagging', missing)
    await sync('lagging')
    expect(await lastError('lagging')).toBe('')
    expect(await has('lagging', missing)).toBe(200)
  })
})

describe('push mirrors with large files', () => {
  useWorld()

  const pushTo = async (name: string, remote: object): Promise<string> => {
    const made = await sue.client.post(`/repos/sue/${name}/push_mirrors`, { interval: '0', ...remote })
    expect(made.status).toBe(200)
    return made.json.public_key as string
  }
  const push = (name: string) => sue.client.post(`/repos/sue/${name}/push_mirrors-sync`)

  it('send each object once that the remote lacks', async () => {
    const files = await withFiles('sent')
    await target.world.repo({ owner: tom, name: 'sent' })
    await pushTo('sent', {
      remote_address: `${target.url}/tom/sent.git`,
      remote_username: 'tom',
      remote_password: PASSWORD,
    })
    expect((await push('sent')).status).toBe(200)
    for (const file of files)
      expect((await downloadLarge(target, tom, 'sent', file)).bytes.equals(file.bytes)).toBe(true)
    const later = await addLarge(source, sue, 'sent/later.bin')
    expect((await push('sent')).status).toBe(200)
    expect(await has('sent', later)).toBe(200)
    const { id: repo_id } = await row(source, 'repo', { name: 'sent' })
    const sent = async (): Promise<number> => (await row(source, 'push_mirror', { repo_id })).lfs_sent
    const link = await row(source, 'lfs_link', { repo_id, oid: later.oid })
    // What came just now may have others before it that are not to be seen yet.
    expect(await sent()).toBe(0)
    now += 3_600_000
    expect((await push('sent')).status).toBe(200)
    expect(await sent()).toBe(link.id)
  })

  it('push branches even if large files fail', async () => {
    const [file] = await withFiles('half', ['one.bin'])
    await target.world.repo({ owner: tom, name: 'half' })
    await pushTo('half', {
      remote_address: `${target.url}/tom/half.git`,
      remote_username: 'tom',
      remote_password: PASSWORD,
    })
    rmSync(blobPath(source, file!))
    expect(await push('half')).toMatchObject({ status: 503 })
    expect((await tom.client.get('/repos/tom/half/contents/one.bin')).status).toBe(200)
    const [mirror] = (await sue.client.get('/repos/sue/half/push_mirrors')).json
    expect(mirror.last_error).toContain(file!.oid)
  })

  it('send them over SSH with git-lfs-authenticate', async () => {
    const other = await startServer({ ssh: true })
    try {
      const pat = await other.world.user('pat')
      const files = await withFiles('by-ssh', ['one.bin'])
      const repo = await other.world.repo({ owner: pat, name: 'by-ssh' })
      const key = await pushTo('by-ssh', {
        remote_address: `${other.app.site.sshPrefix()}pat/by-ssh.git`,
        use_ssh: true,
      })
      expect(
        (await pat.client.post(`/repos/pat/${repo.name}/keys`, { title: 'mirror', key, read_only: false })).status,
      ).toBe(201)
      expect((await push('by-ssh')).status).toBe(200)
      expect((await downloadLarge(other, pat, 'by-ssh', files[0]!)).bytes.equals(files[0]!.bytes)).toBe(true)
    } finally {
      await other.close()
    }
  })
})
