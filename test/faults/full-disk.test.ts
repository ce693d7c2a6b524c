import { execFile, type ExecFileException } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { closeSync, mkdirSync, openSync, readdirSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { GIT_ENV } from '../harness/git-env.ts'
import { startReceiver } from '../harness/receiver.ts'
import { describeOnSmallDisk } from '../harness/small-disk.ts'
import { runCommand, serveHere, startIngot, type IngotProcess } from '../harness/process.ts'

const FULL = 'the server has no room left on its disk; nothing was changed'

describeOnSmallDisk('a full disk', ({ folder, data }) => {
  const ballast = join(data, 'ballast')
  let server: IngotProcess
  let password = ''
  let release = 0

  beforeAll(async () => {
    server = await startIngot(data, ['--set', 'webhook.allowed_hosts=*'])
    password = server.password
    expect((await api('POST', '/user/repos', { name: 'r', auto_init: true })).status).toBe(201)
    release = ((await (await api('POST', '/repos/admin/r/releases', { tag_name: 'v1' })).json()) as { id: number }).id
    await preparePulls()
    await git(folder, 'clone', '-q', remote(), 'work')
    mkdirSync(join(folder, 'big'))
  })
  afterAll(async () => {
    await server.stop('SIGKILL')
  })

  const credentials = () => ({ authorization: `Basic ${Buffer.from(`admin:${password}`).toString('base64')}` })
  const api = (method: string, path: string, body?: object): Promise<Response> =>
    fetch(`${server.url}/api/v1${path}`, {
      method,
      headers: { ...credentials(), 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
  const remote = (): string => `${server.url.replace('//', `//admin:${encodeURIComponent(password)}@`)}/admin/r.git`
  const git = (cwd: string, ...args: string[]): Promise<{ ok: boolean; stderr: string }> =>
    new Promise((resolve) => {
      execFile(
        'git',
        ['-c', 'user.name=T', '-c', 'user.email=t@example.test', ...args],
        { cwd, env: GIT_ENV },
        (error: ExecFileException | null, _, stderr) => resolve({ ok: error === null, stderr }),
      )
    })

  let isFull = false
  const fill = (): void => {
    isFull = true
    const file = openSync(ballast, 'w')
    for (const size of [1 << 20, 4096, 1]) {
      try {
        for (;;) if (writeSync(file, Buffer.alloc(size, 'x')) < size) break
      } catch (error) {
        expect((error as NodeJS.ErrnoException).code).toBe('ENOSPC')
      }
    }
    closeSync(file)
  }
  const makeRoom = (): void => {
    rmSync(ballast, { force: true })
    isFull = false
  }

  const commitBig = async (bytes: number): Promise<void> => {
    const work = join(folder, 'work')
    writeFileSync(join(work, 'big.bin'), randomBytes(bytes))
    await git(work, 'add', '.')
    await git(work, 'commit', '-qm', 'big')
  }
  const push = () => git(join(folder, 'work'), 'push', '-q', 'origin', 'HEAD:main')

  const upload = randomBytes(2 << 20)
  const oid = createHash('sha256').update(upload).digest('hex')
  const sendAsset = (): Promise<Response> =>
    fetch(`${server.url}/api/v1/repos/admin/r/releases/${release}/assets?name=a.bin`, {
      method: 'POST',
      headers: { ...credentials(), 'content-type': 'application/octet-stream' },
      body: upload,
    })
  const sendLfs = (): Promise<Response> =>
    fetch(`${server.url}/admin/r.git/info/lfs/objects/${oid}/${upload.length}`, {
      method: 'PUT',
      headers: { ...credentials(), 'content-type': 'application/octet-stream' },
      body: upload,
    })
  const commitFile = (): Promise<Response> =>
    api('POST', '/repos/admin/r/contents/file.txt', { content: randomBytes(200_000).toString('base64') })

  /** One row; on a full disk as many as the write-ahead log has room for, and the one that is refused. */
  const writeRows = async (): Promise<Response> => {
    for (let i = 0; ; i++) {
      const answer = await api('POST', '/repos/admin/r/issues', { title: 'row', body: 'x'.repeat(50_000) })
      if (answer.status !== 201 || !isFull || i === 300) return answer
    }
  }

  /** Pull requests 1 to 3, whose heads and base have gone apart, and a branch for another one. */
  const preparePulls = async (): Promise<void> => {
    for (const branch of ['merged', 'updated', 'rebased', 'proposed']) {
      const file = { content: 'eA==', message: branch, new_branch: branch }
      expect((await api('POST', `/repos/admin/r/contents/${branch}`, file)).status).toBe(201)
      if (branch === 'proposed') continue
      const pull = { head: branch, base: 'main', title: branch }
      expect((await api('POST', '/repos/admin/r/pulls', pull)).status).toBe(201)
    }
    expect((await api('POST', '/repos/admin/r/contents/apart', { content: 'eA==', message: 'apart' })).status).toBe(201)
  }

  const writers: readonly [what: string, write: () => Promise<Response>][] = [
    ['a repository', () => api('POST', '/user/repos', { name: 'new', auto_init: true })],
    ['a fork', () => api('POST', '/repos/admin/r/forks', { name: 'forked' })],
    ['a row', writeRows],
    ['a commit', commitFile],
    [
      'a wiki page',
      () =>
        api('POST', '/repos/admin/r/wiki/new', {
          title: 'Page',
          content_base64: randomBytes(100_000).toString('base64'),
        }),
    ],
    ['a pull request', () => api('POST', '/repos/admin/r/pulls', { head: 'proposed', base: 'main', title: 'p' })],
    ['a merge', () => api('POST', '/repos/admin/r/pulls/1/merge', { Do: 'merge', delete_branch_after_merge: true })],
    ['an update of a head by merge', () => api('POST', '/repos/admin/r/pulls/2/update')],
    ['an update of a head by rebase', () => api('POST', '/repos/admin/r/pulls/3/update?style=rebase')],
    ['an asset', sendAsset],
    ['a large file', sendLfs],
  ]

  const leftovers = (): string[] =>
    readdirSync(data, { recursive: true, withFileTypes: true })
      .filter(
        (entry) =>
          (/^tmp_objdir|^tmp_(?:pack|obj|idx)|\.(?:lock|new)$/.test(entry.name) && entry.name !== 'server.lock') ||
          (entry.isFile() && entry.parentPath.endsWith('/tmp')),
      )
      .map((entry) => join(entry.parentPath, entry.name).slice(data.length))
  /** NOTE: what follows an earlier write may be writing files of its own at the moment. */
  const expectNoLeftovers = () => expect.poll(leftovers, { timeout: 20_000 }).toEqual([])

  it.each(writers)(
    'refuses %s with a clear message, continues to serve reads, and works again when there is space',
    async (_, write) => {
      fill()
      const refused = await write()
      expect(refused.status).toBe(507)
      expect(await refused.text()).toContain(FULL)
      expect((await api('GET', '/repos/admin/r')).status).toBe(200)
      expect((await git(folder, 'ls-remote', remote())).ok).toBe(true)
      await expectNoLeftovers()
      makeRoom()
      const done = await write()
      expect(done.status, await done.text()).toBeLessThan(300)
    },
  )

  it('records the responses of webhooks received during a full disk later, and does not send them again', async () => {
    const receiver = await startReceiver()
    try {
      const { promise: full, resolve: hasFilled } = Promise.withResolvers<void>()
      receiver.answer((_, response) => void full.then(() => response.end('x'.repeat(60_000))))
      const config = { url: receiver.url, content_type: 'json' }
      const hook = { type: 'gitea', active: true, events: ['push'], config }
      const { id } = (await (await api('POST', '/repos/admin/r/hooks', hook)).json()) as { id: number }
      for (const name of ['one', 'two'])
        expect(
          (await api('POST', `/repos/admin/r/contents/hooked-${name}`, { content: 'eA==', message: name })).status,
        ).toBe(201)
      const read = async () =>
        (await (await api('GET', `/repos/admin/r/hooks/${id}/deliveries`)).json()) as { state: string }[]
      await receiver.waitFor(1)
      await expect.poll(read).toHaveLength(2)
      fill()
      expect((await writeRows()).status).toBe(507)
      hasFilled()
      await sleep(500)
      expect((await read()).map(({ state }) => state)).toEqual(['waiting', 'waiting'])
      makeRoom()
      await expect
        .poll(async () => (await read()).map(({ state }) => state), { timeout: 30_000 })
        .toEqual(['delivered', 'delivered'])
      const names = receiver.got.map(({ body }) => String(JSON.parse(body).head_commit.message).trim())
      expect(names).toEqual(['one', 'two'])
      expect((await api('DELETE', `/repos/admin/r/hooks/${id}`)).status).toBe(204)
    } finally {
      await receiver.close()
    }
  }, 90_000)

  it.each([
    ['small', 300_000],
    ['large', 3 << 20],
  ])('refuses a %s push with the reason', async (_, bytes) => {
    await git(join(folder, 'work'), 'pull', '-q', '--rebase', 'origin', 'main')
    await commitBig(bytes)
    fill()
    const refused = await push()
    expect(refused.ok).toBe(false)
    expect(refused.stderr).toMatch(/remote: error: .*(?:No space left on device|no room left)/)
    expect(refused.stderr).not.toContain(data)
    await expectNoLeftovers()
    makeRoom()
    expect(await push()).toMatchObject({ ok: true })
  })

  it('serves clones', async () => {
    fill()
    expect(await git(folder, 'clone', '-q', remote(), 'cloned')).toMatchObject({ ok: true })
    makeRoom()
  })

  it('leaves nothing that the doctor finds, and stops a start with a reason', async () => {
    // A job that failed on the full disk runs again within seconds, later after each failure.
    const examine = async () => (await runCommand(['doctor', '--data-dir', data])).stdout
    await expect.poll(examine, { timeout: 90_000 }).toMatch(/Nothing is wrong\.\n$/)
    expect(await server.stop()).toBe(0)
    fill()
    const start = await runCommand(['serve', '--data-dir', data, '--port', '0', '--set', 'ssh.port=0'])
    expect(start).toMatchObject({ code: 1, stderr: expect.stringContaining('the disk is full') })
    const first = await runCommand(['serve', '--data-dir', join(data, 'second'), '--port', '0'])
    expect(first).toMatchObject({ code: 1, stderr: expect.stringContaining('the disk is full') })
    makeRoom()
    const second = await serveHere(join(data, 'second'))
    expect(await second.stop()).toBe(0)
    const again = await serveHere(data)
    const kept = await fetch(`${again.url}/api/v1/repos/admin/r/contents/file.txt`, { headers: credentials() })
    expect(kept.status).toBe(200)
    expect(await again.stop()).toBe(0)
  }, 180_000)
})
