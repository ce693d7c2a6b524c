import { spawn, type ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readdirSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { git, tryGit, until } from '../../git/wire/client.ts'
import { startIngot, temporaryFolder } from '../../harness/process.ts'
import { startServer, type TestServer } from '../../harness/server.ts'
import type { Person } from '../../harness/world.ts'
import { startUpstream, type Upstream } from './upstream.ts'

let server: TestServer
let upstream: Upstream
let ann: Person
let bob: Person
let root: Person
let address: string

beforeAll(async () => {
  server = await startServer()
  upstream = await startUpstream()
  ann = await server.world.user('ann')
  bob = await server.world.user('bob')
  root = await server.world.admin()
  await upstream.create('src')
  await upstream.run('src', 'tag', '-am', 'first', 'v1')
  await upstream.run('src', 'branch', 'side')
  await upstream.push('src')
  await upstream.create('src.wiki')
  address = `${upstream.url}/src.git`
})
afterAll(async () => {
  await server.close()
  await upstream.close()
})
afterEach(() => {
  upstream.login = undefined
  upstream.redirects.clear()
  upstream.before = () => {}
})

const migrate = (who: Person, body: object) => who.client.post('/repos/migrate', body)
const stored = (): string[] =>
  readdirSync(join(server.dataDir, 'git', 'repos'), { recursive: true })
    .map(String)
    .filter((name) => name.endsWith('.git'))
const staged = (): string[] => readdirSync(join(server.dataDir, 'git', 'staging'))

describe('imports', () => {
  it('are for people who signed in, and name the field that is missing', async () => {
    expect((await server.anonymous.post('/repos/migrate', '{')).status).toBe(401)
    expect((await migrate(ann, { clone_addr: address })).json).toMatchObject({ message: '[RepoName]: Required' })
    expect((await migrate(ann, { repo_name: 'x' })).json).toMatchObject({ message: '[CloneAddr]: Required' })
    expect((await migrate(ann, { clone_addr: address, repo_name: 'a b' })).json).toMatchObject({
      message: '[RepoName]: AlphaDashDot',
    })
  })

  it('bring branches, tags, history and the default branch', async () => {
    const made = await migrate(ann, { clone_addr: address, repo_name: 'copy', description: 'imported', private: true })
    expect(made.status).toBe(201)
    expect(made.json).toMatchObject({
      full_name: 'ann/copy',
      description: 'imported',
      private: true,
      empty: false,
      mirror: false,
      mirror_interval: '',
      original_url: address,
      default_branch: 'main',
      branch_count: 2,
      has_pull_requests: true,
      permissions: { admin: true },
    })
    expect(made.json.size).toBeGreaterThan(0)
    expect(
      (await ann.client.get('/repos/ann/copy/branches')).json.map((branch: { name: string }) => branch.name).toSorted(),
    ).toEqual(['main', 'side'])
    expect((await ann.client.get('/repos/ann/copy/tags')).json).toMatchObject([{ name: 'v1' }])
    expect((await ann.client.get('/repos/ann/copy/contents/first.txt')).status).toBe(200)
    expect((await bob.client.get('/repos/ann/copy')).status).toBe(404)
    const row = await server.app.database.read
      .selectFrom('repo')
      .selectAll()
      .where('id', '=', made.json.id)
      .executeTakeFirstOrThrow()
    expect(await git(server.app.git.path(row.storage), ['fsck', '--strict'])).toBe('')
    expect(await server.app.pushes.reconcile(row.id as never)).toBe(false)
  })

  it('bring the wiki when asked, and none where there is none', async () => {
    await migrate(ann, { clone_addr: address, repo_name: 'with-wiki', wiki: true })
    await migrate(ann, { clone_addr: address, repo_name: 'without-wiki' })
    const rows = await server.app.database.read
      .selectFrom('repo')
      .selectAll()
      .where('name', 'in', ['with-wiki', 'without-wiki'])
      .orderBy('name')
      .execute()
    expect(await Promise.all(rows.map((row) => server.app.git.repoExists(`${row.storage}.wiki`)))).toEqual([
      true,
      false,
    ])
    await upstream.create('plain')
    expect(
      (await migrate(ann, { clone_addr: `${upstream.url}/plain.git`, repo_name: 'plain', wiki: true })).status,
    ).toBe(201)
  })

  it('keep the object format, and take empty repositories', async () => {
    await upstream.create('modern', { format: 'sha256' })
    expect((await migrate(ann, { clone_addr: `${upstream.url}/modern.git`, repo_name: 'modern' })).json).toMatchObject({
      object_format_name: 'sha256',
      empty: false,
    })
    await server.world.repo({ owner: bob, name: 'nothing' })
    expect(
      (await migrate(ann, { clone_addr: `${server.url}/bob/nothing.git`, repo_name: 'nothing' })).json,
    ).toMatchObject({ empty: true, branch_count: 0 })
  })

  it('go to whom the caller may give them', async () => {
    const { owner } = await server.world.org('acme')
    const hidden = await server.world.org('hidden', { visibility: 'private' })
    const target = (repo_owner: string) => ({ clone_addr: address, repo_name: 'given', repo_owner })
    expect((await migrate(bob, target('ann'))).json).toMatchObject({ message: 'Given user is not an organization.' })
    expect(await migrate(bob, target('acme'))).toMatchObject({
      status: 403,
      json: { message: 'Given user is not owner of organization.' },
    })
    expect(await migrate(bob, target('nobody'))).toMatchObject({
      status: 422,
      json: { message: 'user does not exist [uid: 0, name: nobody]' },
    })
    expect((await migrate(bob, target(hidden.name))).status).toBe(422)
    expect((await migrate(owner, target('acme'))).json).toMatchObject({ full_name: 'acme/given' })
    expect((await migrate(root, { clone_addr: address, repo_name: 'by-id', uid: bob.user.id })).json).toMatchObject({
      full_name: 'bob/by-id',
    })
  })

  it.each([
    '/etc/passwd',
    '../x',
    'file:///etc',
    'C:\\repo',
    '-oProxyCommand=x',
    '--upload-pack=touch',
    'x',
    'http://exa mple/x',
  ])('never read %s', async (clone_addr) => {
    expect(await migrate(root, { clone_addr, repo_name: 'local' })).toMatchObject({
      status: 422,
      json: { message: 'You are not allowed to import local repositories.' },
    })
  })

  it.each([
    'ftp://example.test/x',
    'ssh://example.test/x',
    'git@example.test:x/y.git',
    'ext::sh -c id',
    'javascript://example.test/x',
  ])('refuse the protocol of %s', async (clone_addr) => {
    const answer = await migrate(ann, { clone_addr, repo_name: 'strange' })
    expect(answer.status).toBe(422)
    if (!clone_addr.startsWith('ext'))
      expect(answer.json.message).toBe(
        "migration/cloning from 'example.test' is not allowed: the provided url protocol is not allowed",
      )
  })

  it('leave nothing behind when they fail', async () => {
    const before = stored()
    const failing = [
      [`${upstream.url}/missing.git`, 'Authentication failed: '],
      ['http://127.0.0.1:1/x.git', 'Migration failed: '],
    ] as const
    for (const [clone_addr, message] of failing) {
      const answer = await migrate(ann, { clone_addr, repo_name: 'failed' })
      expect(answer.status).toBe(422)
      expect(answer.json.message).toContain(message)
    }
    let posts = 0
    upstream.before = (path) => {
      if (path.endsWith('/git-upload-pack') && ++posts === 2) upstream.login = 'nobody:any'
    }
    expect((await migrate(ann, { clone_addr: address, repo_name: 'failed' })).json.message).toContain(
      'Authentication failed: ',
    )
    expect(posts).toBeGreaterThanOrEqual(2)
    upstream.login = undefined
    expect((await ann.client.get('/repos/ann/failed')).status).toBe(404)
    expect(stored()).toEqual(before)
    expect(staged()).toEqual([])
    upstream.before = () => {}
    expect((await migrate(ann, { clone_addr: address, repo_name: 'failed' })).status).toBe(201)
    expect(await migrate(ann, { clone_addr: address, repo_name: 'FAILED' })).toMatchObject({
      status: 409,
      json: { message: 'The repository with the same name already exists.' },
    })
  })

  it('let one of two at the same time have the name', async () => {
    const before = stored().length
    const answers = await Promise.all([1, 2].map(() => migrate(ann, { clone_addr: address, repo_name: 'race' })))
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409])
    expect(stored().length).toBe(before + 1)
  })

  it('sign in with credentials of the options or of the address, and show them nowhere', async () => {
    upstream.login = 'joe:s3cret!'
    const refused = await migrate(ann, { clone_addr: address, repo_name: 'signed' })
    expect(refused.json.message).toContain('Authentication failed: ')
    expect(
      (await migrate(ann, { clone_addr: address.replace('://', '://joe:wrong@'), repo_name: 'signed' })).text,
    ).not.toContain('wrong')
    const made = await migrate(ann, {
      clone_addr: address,
      repo_name: 'signed',
      auth_username: 'joe',
      auth_password: 's3cret!',
    })
    expect(made.json).toMatchObject({ original_url: address })
    const other = await migrate(ann, {
      clone_addr: address.replace('://', '://joe:s3cret%21@'),
      repo_name: 'signed-too',
      mirror: true,
    })
    expect(other.json).toMatchObject({ original_url: address })
    expect(other.text).not.toContain('s3cret')
    expect(JSON.stringify(await server.app.database.read.selectFrom('mirror').selectAll().execute())).not.toContain(
      's3cret',
    )
    upstream.login = 'oauth2:t0ken'
    expect(
      (await migrate(ann, { clone_addr: address, repo_name: 'by-token', service: 'github', auth_token: 't0ken' }))
        .status,
    ).toBe(201)
  })

  it('follow a repository that has moved, without taking credentials to another server', async () => {
    upstream.redirects.set('/old.git', `${upstream.url.replace('127.0.0.1', 'localhost')}/src.git`)
    upstream.credentials.clear()
    const seen = upstream.requests.length
    const made = await migrate(ann, {
      clone_addr: `${upstream.url}/old.git`,
      repo_name: 'moved',
      auth_username: 'joe',
      auth_password: 'pw',
    })
    expect(made.json).toMatchObject({ empty: false, original_url: `${upstream.url}/old.git` })
    expect([...upstream.credentials].map((entry) => entry.split(':')[0])).toEqual(['127.0.0.1'])
    expect(upstream.requests.slice(seen).some((line) => line.includes('/src.git/git-upload-pack'))).toBe(true)
    upstream.redirects.set('/loop.git', `${upstream.url}/loop.git`)
    expect((await migrate(ann, { clone_addr: `${upstream.url}/loop.git`, repo_name: 'loop' })).json.message).toContain(
      'redirects without end',
    )
  })

  it('bring what they can and say what they leave out, plain git and mirrors nothing of it', async () => {
    const body = { clone_addr: address, repo_name: 'meta', service: 'gogs', issues: true, releases: true }
    const made = await migrate(ann, body)
    expect(made.status).toBe(201)
    expect(made.headers.get('x-ingot-warning')).toBe(
      'not imported, because this server cannot import them from gogs: issues, releases',
    )
    expect(made.headers.get('x-gitea-warning')).toBe(made.headers.get('x-ingot-warning'))
    for (const other of [
      { repo_name: 'meta-git', service: 'git' },
      { repo_name: 'meta-mirror', mirror: true },
    ]) {
      const answer = await migrate(ann, { ...body, ...other })
      expect([answer.status, answer.headers.get('x-ingot-warning')]).toEqual([201, null])
    }
  })

  it('check the interval of a mirror before anything is made', async () => {
    const body = { clone_addr: address, repo_name: 'interval', mirror: true }
    expect((await migrate(ann, { ...body, mirror_interval: '1s' })).json).toMatchObject({
      message: 'interval 1s is set below Minimum Interval of 10m0s',
    })
    expect((await migrate(ann, { ...body, mirror_interval: 'zz' })).json).toMatchObject({
      message: 'time: invalid duration "zz"',
    })
    expect((await migrate(ann, { ...body, mirror_interval: '-1h' })).status).toBe(422)
    expect((await migrate(ann, { ...body, mirror_interval: '0' })).json).toMatchObject({
      mirror: true,
      mirror_interval: '0s',
      has_pull_requests: false,
    })
    expect((await migrate(ann, { ...body, repo_name: 'interval-default' })).json).toMatchObject({
      mirror_interval: '8h0m0s',
    })
  })
})

describe('imports by the rules of the operator', () => {
  it('reach only hosts that are allowed', async () => {
    const strict = await startServer({ settings: { 'migrations.allowed_hosts': '' } })
    try {
      const eve = await strict.world.user('eve')
      for (const host of [
        '127.0.0.1',
        'localhost',
        '[::1]',
        '2130706433',
        '0x7f.1',
        '169.254.169.254',
        '10.0.0.1',
        '[::ffff:127.0.0.1]',
      ]) {
        const answer = await eve.client.post('/repos/migrate', {
          clone_addr: `http://${host}:${new URL(upstream.url).port}/src.git`,
          repo_name: 'inner',
        })
        expect(answer).toMatchObject({ status: 422, json: { message: 'You can not import from disallowed hosts.' } })
      }
      expect(
        await eve.client.post('/repos/migrate', { clone_addr: 'git://127.0.0.1/src.git', repo_name: 'inner' }),
      ).toMatchObject({ json: { message: 'You can not import from disallowed hosts.' } })
    } finally {
      await strict.close()
    }
  })

  it('do not follow a redirect to where they may not go', async () => {
    const strict = await startServer({ settings: { 'migrations.allowed_hosts': '127.0.0.1' } })
    try {
      const eve = await strict.world.user('eve')
      for (const to of ['http://127.0.0.2:1', 'http://169.254.169.254', 'file:///etc', 'ftp://127.0.0.1']) {
        upstream.redirects.set('/trap.git', `${to}/src.git`)
        expect(
          (await eve.client.post('/repos/migrate', { clone_addr: `${upstream.url}/trap.git`, repo_name: 'inner' }))
            .status,
        ).toBe(422)
      }
    } finally {
      await strict.close()
    }
  })

  it('are refused when they bring too much', async () => {
    await upstream.create('large')
    writeFileSync(join(upstream.root, '..', 'work', 'large', 'large.bin'), randomBytes(3 * 1024 * 1024))
    await upstream.commit('large', 'second.txt')
    const strict = await startServer({ settings: { 'migrations.max_size': '1' } })
    try {
      const eve = await strict.world.user('eve')
      const answer = await eve.client.post('/repos/migrate', {
        clone_addr: `${upstream.url}/large.git`,
        repo_name: 'large',
      })
      expect(answer).toMatchObject({
        status: 422,
        json: { message: 'Migration failed: the repository is larger than the 1 MiB that this server takes.' },
      })
      expect((await eve.client.post('/repos/migrate', { clone_addr: address, repo_name: 'small' })).status).toBe(201)
      expect(readdirSync(join(strict.dataDir, 'git', 'staging'))).toEqual([])
    } finally {
      await strict.close()
    }
  })

  it('can be switched off, and so can mirrors; limits count', async () => {
    const strict = await startServer({
      settings: { 'repository.max_creation_limit': '1', 'mirror.disable_new_pull': 'true' },
    })
    try {
      const eve = await strict.world.user('eve')
      const body = { clone_addr: address, repo_name: 'one' }
      expect(await eve.client.post('/repos/migrate', { ...body, mirror: true })).toMatchObject({
        status: 403,
        json: { message: 'the site administrator has disabled the creation of new pull mirrors' },
      })
      expect((await eve.client.post('/repos/migrate', body)).status).toBe(201)
      expect(await eve.client.post('/repos/migrate', { ...body, repo_name: 'two' })).toMatchObject({
        status: 422,
        json: { message: 'You have already reached your limit of 1 repositories.' },
      })
    } finally {
      await strict.close()
    }
    const off = await startServer({ settings: { 'repository.disable_migrations': 'true' } })
    try {
      const eve = await off.world.user('eve')
      expect(await eve.client.post('/repos/migrate', { clone_addr: address, repo_name: 'one' })).toMatchObject({
        status: 403,
        json: { message: 'the site administrator has disabled migrations' },
      })
    } finally {
      await off.close()
    }
  })

  it('end without a trace when the server stops', async () => {
    const stopping = await startServer()
    const eve = await stopping.world.user('eve')
    const reached = Promise.withResolvers<void>()
    const never = Promise.withResolvers<void>()
    upstream.before = () => (reached.resolve(), never.promise)
    const answer = eve.client.post('/repos/migrate', { clone_addr: address, repo_name: 'cut' }).catch(() => undefined)
    await reached.promise
    await stopping.app.imports.close()
    expect((await answer)?.status).toBe(503)
    expect((await eve.client.get('/repos/eve/cut')).status).toBe(404)
    never.resolve()
    await stopping.close()
  })
})

describe('imports over the git protocol', () => {
  let daemon: ChildProcess | undefined
  let port: number

  beforeAll(async () => {
    const free = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => free.once('listening', resolve))
    port = (free.address() as AddressInfo).port
    await new Promise((resolve) => free.close(resolve))
    daemon = spawn(
      'git',
      [
        'daemon',
        '--listen=127.0.0.1',
        `--port=${port}`,
        '--export-all',
        '--reuseaddr',
        `--base-path=${upstream.root}`,
        upstream.root,
      ],
      { stdio: 'ignore', detached: true },
    )
    await until(
      'the daemon to listen',
      async () => (await tryGit('/', ['ls-remote', `git://127.0.0.1:${port}/src.git`])).code === 0,
    )
  })
  afterAll(() => {
    if (daemon?.pid !== undefined) process.kill(-daemon.pid)
  })

  it('connect to the checked address', async () => {
    const clone_addr = `git://localhost:${port}/src.git`
    expect((await migrate(ann, { clone_addr, repo_name: 'by-git', mirror: true })).json).toMatchObject({
      empty: false,
      branch_count: 2,
      original_url: clone_addr,
    })
    expect(
      (await migrate(ann, { clone_addr: `git://localhost:${port}/none.git`, repo_name: 'by-git-none' })).status,
    ).toBe(422)
  })
})

describe('an import whose server is killed', () => {
  it('leaves neither rows nor folders', async () => {
    const folder = temporaryFolder()
    const data = join(folder.path, 'data')
    const start = () => startIngot(data, ['--set', 'migrations.allowed_hosts=*'])
    const first = await start()
    const headers = {
      authorization: `Basic ${Buffer.from(`admin:${first.password}`).toString('base64')}`,
      'content-type': 'application/json',
    }
    const reached = Promise.withResolvers<void>()
    const never = Promise.withResolvers<void>()
    let posts = 0
    upstream.before = (path) =>
      path.endsWith('/git-upload-pack') && ++posts === 2 ? (reached.resolve(), never.promise) : undefined
    const body = JSON.stringify({ clone_addr: address, repo_name: 'cut', mirror: true })
    const answer = fetch(`${first.url}/api/v1/repos/migrate`, { method: 'POST', headers, body }).catch(() => undefined)
    await reached.promise
    await first.stop('SIGKILL')
    expect(await answer).toBeUndefined()
    never.resolve()
    upstream.before = () => {}
    const second = await start()
    try {
      expect((await fetch(`${second.url}/api/v1/repos/admin/cut`, { headers })).status).toBe(404)
      await until('leftovers to go', () => readdirSync(join(data, 'git', 'staging')).length === 0)
      expect(readdirSync(join(data, 'git', 'repos'))).toEqual([])
      expect((await fetch(`${second.url}/api/v1/repos/migrate`, { method: 'POST', headers, body })).status).toBe(201)
    } finally {
      await second.stop()
      folder.remove()
    }
  })
})
