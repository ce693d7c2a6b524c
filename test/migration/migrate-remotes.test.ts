import { spawn, type ChildProcess } from 'node:child_process'
import { createServer, type AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { tryGit, until } from '../core/git/wire/client.ts'
import { rows } from '../harness/expect.ts'
import { importWorld, migrate } from './import-world.ts'

describe('addresses of imports', () => {
  const given = importWorld()

  it.each([
    '/etc/passwd',
    '../x',
    'file:///etc',
    'C:\\repo',
    '-oProxyCommand=x',
    '--upload-pack=touch',
    'x',
    'http://exa mple/x',
  ])('refuse the local path %s', async (clone_addr) => {
    expect(await migrate(given.root, { clone_addr, repo_name: 'local' })).toMatchObject({
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
    const answer = await migrate(given.ann, { clone_addr, repo_name: 'strange' })
    expect(answer.status).toBe(422)
    if (!clone_addr.startsWith('ext'))
      expect(answer.json.message).toBe(
        "migration/cloning from 'example.test' is not allowed: the provided url protocol is not allowed",
      )
  })
})

describe('imports over HTTP', () => {
  const given = importWorld()

  it('use credentials of the options or of the address, and never return them', async () => {
    given.upstream.login = 'joe:s3cret!'
    const refused = await migrate(given.ann, { clone_addr: given.address, repo_name: 'signed' })
    expect(refused.json.message).toBe('Authentication failed: the repository does not exist or needs credentials.')
    expect(
      (await migrate(given.ann, { clone_addr: given.address.replace('://', '://joe:wrong@'), repo_name: 'signed' }))
        .text,
    ).not.toContain('wrong')
    const made = await migrate(given.ann, {
      clone_addr: given.address,
      repo_name: 'signed',
      auth_username: 'joe',
      auth_password: 's3cret!',
    })
    expect(made.json).toMatchObject({ original_url: given.address })
    const other = await migrate(given.ann, {
      clone_addr: given.address.replace('://', '://joe:s3cret%21@'),
      repo_name: 'signed-too',
      mirror: true,
    })
    expect(other.json).toMatchObject({ original_url: given.address })
    expect(other.text).not.toContain('s3cret')
    expect(JSON.stringify(await rows(given.server, 'mirror'))).not.toContain('s3cret')
    given.upstream.login = 'oauth2:t0ken'
    expect(
      (
        await migrate(given.ann, {
          clone_addr: given.address,
          repo_name: 'by-token',
          service: 'github',
          auth_token: 't0ken',
        })
      ).status,
    ).toBe(201)
  })

  it('follow redirects without sending credentials to another server', async () => {
    given.upstream.redirects.set('/old.git', `${given.upstream.url.replace('127.0.0.1', 'localhost')}/src.git`)
    given.upstream.credentials.clear()
    const seen = given.upstream.requests.length
    const made = await migrate(given.ann, {
      clone_addr: `${given.upstream.url}/old.git`,
      repo_name: 'moved',
      auth_username: 'joe',
      auth_password: 'pw',
    })
    expect(made.json).toMatchObject({ empty: false, original_url: `${given.upstream.url}/old.git` })
    expect([...given.upstream.credentials].map((entry) => entry.split(':')[0])).toEqual(['127.0.0.1'])
    expect(given.upstream.requests.slice(seen).some((line) => line.includes('/src.git/git-upload-pack'))).toBe(true)
    given.upstream.redirects.set('/loop.git', `${given.upstream.url}/loop.git`)
    expect(
      (await migrate(given.ann, { clone_addr: `${given.upstream.url}/loop.git`, repo_name: 'loop' })).json.message,
    ).toContain('redirects without end')
  })
})

describe('an import over the git protocol', () => {
  const given = importWorld()

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
        `--base-path=${given.upstream.root}`,
        given.upstream.root,
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

  it('connects to the checked address', async () => {
    const clone_addr = `git://localhost:${port}/src.git`
    expect((await migrate(given.ann, { clone_addr, repo_name: 'by-git', mirror: true })).json).toMatchObject({
      empty: false,
      branch_count: 2,
      original_url: clone_addr,
    })
    expect(
      (await migrate(given.ann, { clone_addr: `git://localhost:${port}/none.git`, repo_name: 'by-git-none' })).status,
    ).toBe(422)
  })
})
