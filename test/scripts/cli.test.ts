import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { commands } from '../../src/cli/commands.ts'
import { runIngot, startIngot, temporaryFolder, type Folder } from '../harness/process.ts'

let folder: Folder
let data: string
beforeEach(() => {
  folder = temporaryFolder()
  data = join(folder.path, 'data')
})
afterEach(() => folder.remove())

const basic = (user: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
})

describe('usage', () => {
  it('is shown for the whole, for groups and for each command', async () => {
    const whole = await runIngot(['--help'])
    expect(whole.code).toBe(0)
    for (const { words } of commands) expect(whole.stdout).toContain(`  ${words} `)
    expect((await runIngot(['admin', 'user', '--help'])).stdout).toContain('admin user create')
    const serve = await runIngot(['serve', '--help'])
    expect(serve).toMatchObject({ code: 0, stderr: '' })
    expect(serve.stdout).toContain('--port PORT')
  })

  it('errors end with 2 and say what is wrong', async () => {
    expect(await runIngot(['nonsense'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('unknown command nonsense'),
    })
    expect(await runIngot(['admin', 'user'])).toMatchObject({ code: 2, stderr: expect.stringContaining('which one?') })
    expect(await runIngot(['serve', '--nonsense'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("'--nonsense'"),
    })
    expect(await runIngot(['admin', 'user', 'create', '--username', 'x'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--email must be given'),
    })
  })

  it('version names what is running', async () => {
    const { code, stdout } = await runIngot(['version'])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^ingot [\d.]+\nnode v\d+\.[\d.]+\ngit version 2\./)
  })
})

describe('configuration', () => {
  it('check stops at a wrong key or value and names it', async () => {
    const file = join(folder.path, 'ingot.toml')
    writeFileSync(file, '[server]\nprot = 3\n')
    expect(await runIngot(['config', 'check', '--config', file])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('unknown setting server.prot'),
    })
    writeFileSync(file, '[server]\nport = 70000\n')
    expect(await runIngot(['config', 'check', '--config', file])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/server\.port is 70000; allowed: a whole number from 0 to 65535/),
    })
    expect(await runIngot(['serve', '--config', file])).toMatchObject({ code: 2 })
    expect(await runIngot(['config', 'check', '--config', join(folder.path, 'none.toml')])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('cannot read'),
    })
    expect(await runIngot(['config', 'check'], { env: { INGOT_SERVER_PROT: '1' } })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('INGOT_SERVER_PROT'),
    })
  })

  it('flags beat the environment, which beats the file', async () => {
    const file = join(folder.path, 'ingot.toml')
    writeFileSync(file, '[server]\nport = 1111\nhost = "127.0.0.3"\nbody_limit = 4096\n')
    const env = {
      INGOT_CONFIG: file,
      INGOT_SERVER_PORT: '2222',
      INGOT_SERVER_HOST: '127.0.0.2',
      INGOT_SECURITY_SECRET_KEY: 'hidden-from-all',
    }
    const { stdout } = await runIngot(['config', 'show', '--set', 'server.port=3333'], { env })
    expect(stdout).toMatch(/^port = 3333$/m)
    expect(stdout).toMatch(/^host = "127\.0\.0\.2"$/m)
    expect(stdout).toMatch(/^body_limit = 4096$/m)
    expect(stdout).not.toContain('hidden-from-all')
  })
})

describe('administration', () => {
  it('makes users and tokens that work', async () => {
    expect(
      await runIngot([
        'admin',
        'user',
        'create',
        '--data-dir',
        data,
        '--username',
        'root',
        '--email',
        'root@example.test',
        '--password',
        'Corr3ct-horse!',
        '--admin',
      ]),
    ).toMatchObject({ code: 0, stderr: '' })
    const made = await runIngot([
      'admin',
      'user',
      'create',
      '--data-dir',
      data,
      '--username',
      'bob',
      '--email',
      'bob@example.test',
    ])
    const password = /Password: (\S+)/.exec(made.stdout)![1]!
    const token = (
      await runIngot(['admin', 'token', 'create', '--data-dir', data, '--username', 'root', '--scopes', 'read:user'])
    ).stdout.trim()
    expect(token).toMatch(/^[0-9a-f]{40}$/)
    const limited = await runIngot([
      'admin',
      'token',
      'create',
      '--data-dir',
      data,
      '--username',
      'root',
      '--name',
      'limited',
      '--scopes',
      'read:user',
      '--expires',
      '30d',
    ])
    expect(limited.stdout.trim()).toMatch(/^[0-9a-f]{40}$/)
    expect(
      await runIngot([
        'admin',
        'token',
        'create',
        '--data-dir',
        data,
        '--username',
        'root',
        '--name',
        'x',
        '--scopes',
        'all',
        '--expires',
        'soon',
      ]),
    ).toMatchObject({ code: 2 })
    expect(
      await runIngot([
        'admin',
        'token',
        'create',
        '--data-dir',
        data,
        '--username',
        'root',
        '--name',
        'x',
        '--scopes',
        'all',
        '--repositories',
        'root/none',
      ]),
    ).toMatchObject({ code: 1, stderr: expect.stringContaining('there is no repository root/none') })
    const server = await startIngot(data)
    expect(server.password).toBe('')
    const user = async (headers: Record<string, string>) =>
      (await fetch(`${server.url}/api/v1/user`, { headers })).json()
    expect(await user({ authorization: `token ${token}` })).toMatchObject({ login: 'root', is_admin: true })
    expect(await user(basic('bob', password))).toMatchObject({ login: 'bob', is_admin: false })
    expect(await user({ authorization: `token ${limited.stdout.trim()}` })).toMatchObject({ login: 'root' })
    expect(await server.stop()).toBe(0)
  })

  it('lists, changes passwords and deletes, but never the last administrator', async () => {
    const user = (verb: string, ...args: string[]) => runIngot(['admin', 'user', verb, '--data-dir', data, ...args])
    await user(
      'create',
      '--username',
      'root',
      '--email',
      'root@example.test',
      '--password',
      'Corr3ct-horse!',
      '--admin',
    )
    await user('create', '--username', 'bob', '--email', 'bob@example.test', '--password', 'Corr3ct-horse!')
    expect(
      (await user('list')).stdout
        .trim()
        .split('\n')
        .map((line) => line.split('\t').slice(1)),
    ).toEqual([
      ['root', 'root@example.test', 'admin', 'active'],
      ['bob', 'bob@example.test', 'user', 'active'],
    ])
    expect(await user('change-password', '--username', 'root', '--password', 'An0ther-horse!')).toMatchObject({
      code: 0,
      stdout: 'The password is changed.\n',
    })
    expect(await user('two-factor', '--username', 'bob')).toMatchObject({ code: 0, stdout: 'off\n' })
    expect(await user('two-factor', '--username', 'bob', '--disable')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('two-factor authentication is off'),
    })
    expect(await user('delete', '--username', 'root')).toMatchObject({
      code: 1,
      stderr: expect.not.stringContaining('    at '),
    })
    expect(await user('delete', '--username', 'bob')).toMatchObject({ code: 0 })
    expect(await user('delete', '--username', 'bob')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('there is no user bob'),
    })
    const server = await startIngot(data)
    const status = async (password: string) =>
      (await fetch(`${server.url}/api/v1/user`, { headers: basic('root', password) })).status
    expect(await status('An0ther-horse!')).toBe(200)
    expect(await status('Corr3ct-horse!')).toBe(401)
    await server.stop()
  })

  it('refuses what the API would refuse', async () => {
    const create = (...args: string[]) =>
      runIngot(['admin', 'user', 'create', '--data-dir', data, '--email', 'x@example.test', ...args])
    expect(await create('--username', 'no/slash')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('[Username]: invalid username'),
    })
    expect(await create('--username', 'x', '--password', 'short')).toMatchObject({ code: 1 })
    expect(
      await runIngot(['admin', 'token', 'create', '--data-dir', data, '--username', 'nobody', '--scopes', 'all']),
    ).toMatchObject({ code: 1, stderr: expect.stringContaining('there is no user nobody') })
  })

  it('migrate says what it applied, then that nothing is left', async () => {
    expect(await runIngot(['migrate', '--data-dir', data, '--check'])).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('0001-users'),
    })
    expect(await runIngot(['migrate', '--data-dir', data])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Applied: 0001-users'),
    })
    expect(await runIngot(['migrate', '--data-dir', data])).toMatchObject({
      code: 0,
      stdout: 'The schema was up to date.\n',
    })
  })
})

describe('serve', () => {
  it('makes the first administrator once', async () => {
    const first = await startIngot(data)
    expect(first.password).not.toBe('')
    const answer = await fetch(`${first.url}/api/v1/user`, { headers: basic('admin', first.password) })
    expect(await answer.json()).toMatchObject({ login: 'admin', is_admin: true })
    expect(await first.stop('SIGINT')).toBe(0)
    const second = await startIngot(data)
    expect(second.password).toBe('')
    expect(await second.stop()).toBe(0)
  })

  it('refuses a data directory that another server has', async () => {
    const first = await startIngot(data)
    expect(await runIngot(['serve', '--data-dir', data, '--port', '0'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('another Ingot process is using'),
    })
    await first.stop('SIGKILL')
    const after = await startIngot(data)
    expect(await after.stop()).toBe(0)
  })

  it('finishes what is running before it ends', async () => {
    const server = await startIngot(data)
    const body = JSON.stringify({ name: 'slow', scopes: ['all'] })
    const { promise: gate, resolve: open } = Promise.withResolvers<void>()
    const slow = new ReadableStream({
      async start(controller) {
        controller.enqueue(new TextEncoder().encode(body.slice(0, 5)))
        await gate
        controller.enqueue(new TextEncoder().encode(body.slice(5)))
        controller.close()
      },
    })
    const headers = { ...basic('admin', server.password), 'content-type': 'application/json' }
    const answer = fetch(`${server.url}/api/v1/users/admin/tokens`, {
      method: 'POST',
      headers,
      body: slow,
      duplex: 'half',
    } as RequestInit)
    await expect.poll(async () => (await fetch(`${server.url}/api/healthz`)).status).toBe(200)
    const ended = server.stop()
    await expect
      .poll(() =>
        fetch(`${server.url}/api/v1/version`).then(
          (r) => r.status,
          () => 0,
        ),
      )
      .not.toBe(200)
    open()
    expect((await answer).status).toBe(201)
    expect(await ended).toBe(0)
  })

  it('cuts off what does not finish in time, and a second signal does not wait', async () => {
    const hang = async (timeout: string) => {
      const server = await startIngot(data, ['--set', `server.shutdown_timeout=${timeout}`])
      const never = new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(1)) })
      const admin = { ...basic('admin', server.password || 'x'), 'content-type': 'application/json' }
      void fetch(`${server.url}/api/v1/users/admin/tokens`, {
        method: 'POST',
        headers: admin,
        body: never,
        duplex: 'half',
      } as RequestInit).catch(() => {})
      await fetch(`${server.url}/api/healthz`)
      return server
    }
    expect(await (await hang('0')).stop()).toBe(0)
    const stubborn = await hang('60')
    const ended = stubborn.stop()
    await expect
      .poll(() =>
        fetch(`${stubborn.url}/api/v1/version`).then(
          (r) => r.status,
          () => 0,
        ),
      )
      .not.toBe(200)
    stubborn.child.kill('SIGTERM')
    expect(await ended).toBe(143)
  })
})

describe('a machine that is not as it should be', () => {
  const serve = (...args: string[]) => runIngot(['serve', '--data-dir', data, '--port', '0', ...args])

  it('without git, or with an old one', async () => {
    const bin = join(folder.path, 'bin')
    mkdirSync(bin)
    expect(await runIngot(['serve', '--data-dir', data], { env: { PATH: bin } })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is git installed and on the PATH?'),
    })
    writeFileSync(join(bin, 'git'), '#!/bin/sh\necho git version 2.20.1\n', { mode: 0o755 })
    expect(await runIngot(['serve', '--data-dir', data], { env: { PATH: bin } })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('git >= 2.38 is needed, found 2.20.1'),
    })
  })

  it('with its port taken, or an address it does not have', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    expect(await serve('--port', String(port))).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`port ${port} of 127.0.0.1 is in use`),
    })
    other.close()
    expect(await serve('--host', '192.0.2.1')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('this machine has no address 192.0.2.1'),
    })
  })

  it('with a damaged database', async () => {
    mkdirSync(data)
    writeFileSync(join(data, 'ingot.db'), 'this is not a database, whatever its name says'.repeat(100))
    expect(await serve()).toMatchObject({ code: 1, stderr: expect.stringContaining('the database file is damaged') })
  })

  it('with a data directory that is a file, or in which a file cannot be made', async () => {
    writeFileSync(data, '')
    expect(await serve()).toMatchObject({
      code: 1,
      stderr: `ingot serve: ${data} cannot be used: a part of the path is missing or not a directory.\n`,
    })
    const blocked = join(folder.path, 'blocked')
    mkdirSync(join(blocked, 'server.lock'), { recursive: true })
    expect(await runIngot(['serve', '--data-dir', blocked])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('may this user write there?'),
    })
  })

  it('with a database server that does not answer', async () => {
    expect(await serve('--set', 'database.url=postgres://x:y@127.0.0.1:1/none')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Is PostgreSQL running there?'),
    })
  })
})
