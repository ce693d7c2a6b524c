import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { commands } from '../../src/cli/commands.ts'
import {
  type Folder,
  makeDataDir,
  type Ran,
  runCommand,
  runIngot,
  type RunOptions,
  serveHere,
  type ServerHere,
  startIngot,
  temporaryFolder,
} from '../harness/process.ts'

let folder: Folder
let data: string
beforeEach(() => {
  folder = temporaryFolder()
  data = join(folder.path, 'data')
})
afterEach(() => folder.remove())

/** Runs `ingot` with the words of the line as a process; none of them contains a space. */
const ingot = (line: string, options?: RunOptions): Promise<Ran> => runIngot(line.split(' '), options)
/** The same in this process, which takes less time. */
const command = (line: string, options?: Pick<RunOptions, 'env'>): Promise<Ran> => runCommand(line.split(' '), options)
/** Runs `ingot admin` on the data directory of the test. */
const admin = (line: string): Promise<Ran> => command(`admin ${line} --data-dir ${data}`)
/** How a command ends that prints `text` among its errors. */
const failure = (code: number, text: string) => ({ code, stderr: expect.stringContaining(text) })

const PASSWORD = 'Corr3ct-horse!'
const CREATE_ROOT = `user create --username root --email root@example.test --password ${PASSWORD} --admin`

/** Waits until a server refuses new connections. */
const stopsListening = (url: string): Promise<void> =>
  expect
    .poll(
      () =>
        fetch(`${url}/api/v1/version`).then(
          (answer) => answer.status,
          () => 0,
        ),
      { timeout: 5_000 },
    )
    .not.toBe(200)

/** Requests a token with a body that `body` sends in its own time. */
const postSlowly = (server: ServerHere, body: ReadableStream): Promise<Response> =>
  fetch(`${server.url}/api/v1/users/admin/tokens`, {
    method: 'POST',
    headers: { ...basic('admin', server.password || 'x'), 'content-type': 'application/json' },
    body,
    duplex: 'half',
  } as RequestInit)

const basic = (user: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
})

describe('usage', () => {
  it('is shown for the whole, for groups and for each command', async () => {
    const whole = await command('--help')
    expect(whole.code).toBe(0)
    for (const { words } of commands) expect(whole.stdout).toContain(`  ${words} `)
    expect((await command('admin user --help')).stdout).toContain('admin user create')
    const serve = await command('serve --help')
    expect(serve).toMatchObject({ code: 0, stderr: '' })
    expect(serve.stdout).toContain('--port PORT')
  })

  it('errors end with 2 and say what is wrong', async () => {
    expect(await ingot('nonsense')).toMatchObject(failure(2, 'unknown command nonsense'))
    expect(await command('admin user')).toMatchObject(failure(2, 'which one?'))
    expect(await command('serve --nonsense')).toMatchObject(failure(2, "'--nonsense'"))
    expect(await command('admin user create --username x')).toMatchObject(failure(2, '--email must be given'))
  })

  it('version names what is running', async () => {
    const { code, stdout } = await command('version')
    expect(code).toBe(0)
    expect(stdout).toMatch(/^ingot [\d.]+\nnode v\d+\.[\d.]+\ngit version 2\./)
  })
})

describe('configuration', () => {
  it('check names every wrong key and value', async () => {
    const file = join(folder.path, 'ingot.toml')
    writeFileSync(file, '[server]\nprot = 3\n')
    expect(await command(`config check --config ${file}`)).toMatchObject(failure(2, 'unknown setting server.prot'))
    writeFileSync(file, '[server]\nport = 70000\n')
    expect(await command(`config check --config ${file}`)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/server\.port is 70000; allowed: an integer from 0 to 65535/),
    })
    expect(await command(`serve --config ${file}`)).toMatchObject({ code: 2 })
    writeFileSync(file, '[server]\nprot = 3\nport = 70000\n')
    const { stderr } = await command(`config check --config ${file}`, { env: { INGOT_SERVER_PROT: '1' } })
    expect(stderr).toMatch(
      /^ingot config check: 3 problems .*\n .+:2: unknown setting server\.prot\n.+ INGOT_SERVER_PROT\n.+:3: server\.port/,
    )
    expect(await runCommand(['config', 'check', '--config', join(folder.path, 'none.toml')])).toMatchObject(
      failure(2, 'cannot read'),
    )
    expect(await command('config check', { env: { INGOT_SERVER_PROT: '1' } })).toMatchObject(
      failure(2, 'INGOT_SERVER_PROT'),
    )
  })

  it('flags beat the environment, which beats the file', async () => {
    const file = join(folder.path, 'ingot.toml')
    writeFileSync(file, '[server]\nport = 1111\nhost = "127.0.0.3"\nproxy_hops = 2\n')
    const env = {
      INGOT_CONFIG: file,
      INGOT_SERVER_PORT: '2222',
      INGOT_SERVER_HOST: '127.0.0.2',
      INGOT_SECURITY_SECRET_KEY: 'hidden-from-all',
    }
    const { stdout } = await command('config show --set server.port=3333', { env })
    expect(stdout).toMatch(/^port = 3333$/m)
    expect(stdout).toMatch(/^host = "127\.0\.0\.2"$/m)
    expect(stdout).toMatch(/^proxy_hops = 2$/m)
    expect(stdout).not.toContain('hidden-from-all')
  })
})

describe('administration', () => {
  beforeEach(() => makeDataDir(data))

  it('makes users and tokens that work', async () => {
    expect(await admin(CREATE_ROOT)).toMatchObject({ code: 0, stderr: '' })
    const made = await admin('user create --username bob --email bob@example.test')
    const password = /Password: (\S+)/.exec(made.stdout)![1]!
    const token = (await admin('token create --username root --scopes read:user')).stdout.trim()
    expect(token).toMatch(/^[0-9a-f]{40}$/)
    const limited = await admin('token create --username root --name limited --scopes read:user --expires 30d')
    expect(limited.stdout.trim()).toMatch(/^[0-9a-f]{40}$/)
    expect(await admin('token create --username root --name x --scopes all --expires soon')).toMatchObject({ code: 2 })
    expect(await admin('token create --username root --name x --scopes all --repositories root/none')).toMatchObject(
      failure(1, 'there is no repository root/none'),
    )
    const server = await serveHere(data)
    expect(server.password).toBe('')
    const user = async (headers: Record<string, string>) =>
      (await fetch(`${server.url}/api/v1/user`, { headers })).json()
    expect(await user({ authorization: `token ${token}` })).toMatchObject({ login: 'root', is_admin: true })
    expect(await user(basic('bob', password))).toMatchObject({ login: 'bob', is_admin: false })
    expect(await user({ authorization: `token ${limited.stdout.trim()}` })).toMatchObject({ login: 'root' })
    expect(await server.stop()).toBe(0)
  })

  it('lists, changes passwords and deletes, but never the last administrator', async () => {
    await admin(CREATE_ROOT)
    await admin(`user create --username bob --email bob@example.test --password ${PASSWORD}`)
    expect(
      (await admin('user list')).stdout
        .trim()
        .split('\n')
        .map((line) => line.split('\t').slice(1)),
    ).toEqual([
      ['root', 'root@example.test', 'admin', 'active'],
      ['bob', 'bob@example.test', 'user', 'active'],
    ])
    expect(await admin('user change-password --username root --password An0ther-horse!')).toMatchObject({
      code: 0,
      stdout: 'The password is changed.\n',
    })
    expect(await admin('user two-factor --username bob')).toMatchObject({ code: 0, stdout: 'off\n' })
    expect(await admin('user two-factor --username bob --disable')).toMatchObject(
      failure(1, 'two-factor authentication is off'),
    )
    expect(await admin('user delete --username root')).toMatchObject({
      code: 1,
      stderr: expect.not.stringContaining('    at '),
    })
    expect(await admin('user delete --username bob')).toMatchObject({ code: 0 })
    expect(await admin('user delete --username bob')).toMatchObject(failure(1, 'there is no user bob'))
    const server = await serveHere(data)
    const status = async (password: string) =>
      (await fetch(`${server.url}/api/v1/user`, { headers: basic('root', password) })).status
    expect(await status('An0ther-horse!')).toBe(200)
    expect(await status('Corr3ct-horse!')).toBe(401)
    await server.stop()
  })

  it('prints the audit log, filtered, as JSON lines', async () => {
    const audit = (...args: string[]) => runCommand(['admin', 'audit', '--data-dir', data, ...args])
    const made = ['--username', 'bob', '--email', 'bob@example.test']
    await runCommand(['admin', 'user', 'create', '--data-dir', data, ...made])
    const { code, stdout } = await audit('--action', 'user.created', '--target', 'BOB', '--since', '2020-01-01')
    expect(code).toBe(0)
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
    ).toMatchObject([
      { action: 'user.created', actor: { id: 0 }, credential: { kind: 'command-line' }, target: { name: 'bob' } },
    ])
    expect((await audit('--before', '2020-01-01')).stdout).toBe('')
    expect(await audit('--since', 'yesterday')).toMatchObject({ code: 2, stderr: expect.stringContaining('--since') })
  })

  it('refuses what the API would refuse, in words of the command line', async () => {
    await admin(CREATE_ROOT)
    const create = (words: string) => admin(`user create ${words}`)
    const refusals = [
      [() => create('--username x --email nowhere'), 'user create: --email is not an e-mail address'],
      [() => create('--username root --email x@y.test'), 'user create: user already exists: root'],
      [() => admin('token create --username nobody --scopes all'), 'token create: there is no user nobody'],
    ] as const
    for (const [run, message] of refusals) expect(await run()).toMatchObject(failure(1, `ingot admin ${message}`))
  })
})

it('migrate says what it applied, then that nothing is left', async () => {
  expect(await command(`migrate --data-dir ${data} --check`)).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('202611241900-baseline'),
  })
  expect(await command(`migrate --data-dir ${data}`)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('Applied: 202611241900-baseline'),
  })
  expect(await command(`migrate --data-dir ${data}`)).toMatchObject({
    code: 0,
    stdout: 'The schema was already up to date.\n',
  })
})

describe('serve', () => {
  it('makes the first administrator once', async () => {
    const first = await startIngot(data, [], { isFirstStart: true })
    expect(first.password).not.toBe('')
    const answer = await fetch(`${first.url}/api/v1/user`, { headers: basic('admin', first.password) })
    expect(await answer.json()).toMatchObject({ login: 'admin', is_admin: true })
    expect(await first.stop('SIGINT')).toBe(0)
    const second = await serveHere(data)
    expect(second.password).toBe('')
    expect(await second.stop()).toBe(0)
  })

  it('refuses a data directory that another server has', async () => {
    const first = await startIngot(data)
    expect(await command(`serve --data-dir ${data} --port 0`)).toMatchObject(
      failure(1, `is using ${data}. Stop it first`),
    )
    await first.stop('SIGKILL')
    const after = await startIngot(data)
    expect(await after.stop('SIGHUP')).toBe(0)
  })

  it('finishes what is running before it ends', async () => {
    makeDataDir(data)
    const server = await serveHere(data, ['--set', 'server.shutdown_delay=1'])
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
    const answer = postSlowly(server, slow)
    await expect.poll(async () => (await fetch(`${server.url}/api/healthz`)).status).toBe(200)
    const ended = server.stop()
    // Balancers hear of it before the port closes.
    await expect.poll(async () => (await fetch(`${server.url}/api/readyz`)).status).toBe(503)
    expect((await fetch(`${server.url}/api/v1/version`)).status).toBe(200)
    await stopsListening(server.url)
    open()
    expect((await answer).status).toBe(201)
    expect(await ended).toBe(0)
  })

  it('cuts off what does not finish in time, and a second signal does not wait', async () => {
    makeDataDir(data)
    const hang = async <T extends ServerHere>(server: T): Promise<T> => {
      const never = new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(1)) })
      void postSlowly(server, never).catch(() => {})
      await fetch(`${server.url}/api/healthz`)
      return server
    }
    const timeout = (seconds: number) => ['--set', `server.shutdown_timeout=${seconds}`]
    expect(await (await hang(await serveHere(data, timeout(0)))).stop()).toBe(0)
    const stubborn = await hang(await startIngot(data, timeout(60)))
    const ended = stubborn.stop()
    await stopsListening(stubborn.url)
    stubborn.child.kill('SIGTERM')
    expect(await ended).toBe(143)
  })
})

describe('a machine that is not as it should be', () => {
  const serve = (...args: string[]) => runCommand(['serve', '--data-dir', data, '--port', '0', ...args])

  it('without git, or with an old one', async () => {
    const bin = join(folder.path, 'bin')
    mkdirSync(bin)
    expect(await command(`serve --data-dir ${data}`, { env: { PATH: bin } })).toMatchObject(
      failure(1, 'is it installed and on the PATH?'),
    )
    writeFileSync(join(bin, 'git'), '#!/bin/sh\necho git version 2.20.1\n', { mode: 0o755 })
    expect(await command(`serve --data-dir ${data}`, { env: { PATH: bin } })).toMatchObject(
      failure(1, 'git >= 2.38 is required, found 2.20.1'),
    )
  })

  it('with its port taken, or an address it does not have', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    expect(await serve('--port', String(port))).toMatchObject(failure(1, `port ${port} of 127.0.0.1 is in use`))
    other.close()
    expect(await serve('--host', '192.0.2.1')).toMatchObject(failure(1, 'this machine has no address 192.0.2.1'))
  })

  it('with a damaged database', async () => {
    mkdirSync(data)
    writeFileSync(join(data, 'ingot.db'), 'this is not a database, whatever its name says'.repeat(100))
    expect(await serve()).toMatchObject(failure(1, 'the database file is damaged'))
  })

  it('with a data directory that is a file, or in which a file cannot be made', async () => {
    writeFileSync(data, '')
    expect(await serve()).toMatchObject({
      code: 1,
      stderr: `ingot serve: ${data} cannot be used: a part of the path is missing or not a directory.\n`,
    })
    const blocked = join(folder.path, 'blocked')
    mkdirSync(join(blocked, 'server.lock'), { recursive: true })
    expect(await command(`serve --data-dir ${blocked}`)).toMatchObject(failure(1, 'is it writable for this user?'))
  })
})

describe('admin actions', () => {
  it('prints the token of runners, and registers one by its secret', async () => {
    await admin(CREATE_ROOT)
    const first = await admin('actions token')
    expect(first.stdout).toMatch(/^[0-9a-f]{40}\n$/)
    expect((await admin('actions token')).stdout).toBe(first.stdout)
    expect((await admin('actions token --reset')).stdout).not.toBe(first.stdout)
    expect((await admin('actions token --scope root')).stdout).not.toBe(first.stdout)
    const secret = '0123456789abcdef'.padEnd(40, '0')
    const register = (more: string) => admin(`actions register --name host --labels host,x --secret ${more}`)
    expect(await register(secret)).toMatchObject({ code: 0, stdout: '30313233-3435-3637-3839-616263646566\n' })
    expect((await register(`${secret} --scope root`)).code).toBe(0)
    expect(await register('abc')).toMatchObject(failure(1, '40 hexadecimal digits'))
    expect(await register(`${secret} --scope root/none`)).toMatchObject(failure(2, 'root/none does not exist'))
  })
})
