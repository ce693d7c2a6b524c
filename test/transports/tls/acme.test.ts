import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { createAuthority } from '../../harness/certificates.ts'
import { createLogger } from '../../../src/core/platform/logger.ts'
import { freePort } from '../../harness/free-port.ts'
import { BLOCKED, findPebble, type Pebble, type PebbleOptions, startPebble } from '../../harness/pebble.ts'
import { startServer, type TestServer } from '../../harness/server.ts'
import { handshake, send } from './fixture.ts'

const pebbleProgram = findPebble()
const HOUR_MS = 60 * 60 * 1000

interface World {
  readonly pebble: Pebble
  readonly server: TestServer
  readonly lines: string[]
  /** Milliseconds by which the clock of the server is ahead. */
  ahead: number
  /** Renews like the scheduled task. */
  renew(): Promise<void>
}

const open: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of open.splice(0).toReversed()) await close()
})

interface WorldOptions {
  readonly names?: readonly string[]
  readonly pebble?: Partial<PebbleOptions>
  readonly settings?: Readonly<Record<string, string>>
}

async function openWorld({ names = ['git.test'], pebble: options, settings }: WorldOptions = {}): Promise<World> {
  const [httpsPort, httpPort] = [await freePort(), await freePort()]
  const pebble = await startPebble(pebbleProgram!, { httpPort, tlsPort: httpsPort, ...options })
  open.push(() => pebble.close())
  const lines: string[] = []
  const log = createLogger('silent')
  for (const level of ['info', 'warn', 'error'] as const)
    log[level] = (...said: unknown[]) =>
      void lines.push(
        `${level} ${said
          .toReversed()
          .map((part) => (typeof part === 'string' ? part : JSON.stringify(part)))
          .join(' ')}`,
      )
  const world = { ahead: 0 }
  const server = await startServer({
    ssh: true,
    log,
    clock: { now: () => Date.now() + world.ahead },
    settings: {
      'server.host': '127.0.0.1',
      'server.port': String(httpsPort),
      'tls.acme': 'true',
      'tls.acme_domains': names.join(','),
      'tls.acme_directory': pebble.directory,
      'tls.acme_ca_file': pebble.caFile,
      'tls.http_port': String(httpPort),
      ...settings,
    },
  })
  open.push(() => server.close())
  const renew = async (): Promise<void> => {
    await server.app.schedule.run('renew_certificate')
    await server.drain()
  }
  return Object.assign(world, { pebble, server, lines, renew })
}

/** What a client that trusts Pebble sees; throws when it refuses the certificate. */
async function certificateOf({ pebble, server }: World, name = 'git.test') {
  const socket = await handshake(server.url, { ca: await pebble.root(), servername: name })
  const { subjectaltname, serialNumber } = socket.getPeerCertificate()
  socket.destroy()
  return { names: subjectaltname, serial: serialNumber }
}
/** The challenge of each order: no other one is answered. */
const ordered = ({ lines }: World): string[] =>
  lines.flatMap((line) => (line.startsWith('info ordering') ? [/"challenge":"([^"]+)"/.exec(line)![1]!] : []))
const state = ({ server }: World) => JSON.parse(readFileSync(join(server.dataDir, 'tls/state.json'), 'utf8'))

describe.skipIf(pebbleProgram === undefined)('a certificate by ACME', () => {
  it.each([
    ['http-01', {}],
    ['tls-alpn-01', { 'tls.http_port': '0' }],
  ])('is issued for all names after %s', async (challenge, settings: Record<string, string>) => {
    const world = await openWorld({
      names: ['git.test', 'code.git.test', 'src.test'],
      settings: { ...settings, 'tls.acme_email': 'admin@git.test' },
      pebble: { env: { PEBBLE_WFE_NONCEREJECT: '15' } },
    })
    await expect(certificateOf(world)).rejects.toThrow(/self-signed/)
    expect(world.lines.join('\n')).toMatch(/warn there is no certificate yet: .* self-signed/)
    await world.renew()
    for (const name of ['git.test', 'code.git.test', 'src.test'])
      expect((await certificateOf(world, name)).names).toBe('DNS:git.test, DNS:code.git.test, DNS:src.test')
    expect(ordered(world)).toEqual([challenge])
    const dir = join(world.server.dataDir, 'tls')
    expect(readdirSync(dir).toSorted()).toEqual(['account.pem', 'certificate.pem', 'challenges', 'state.json'])
    expect(readdirSync(join(dir, 'challenges'))).toEqual([])
    for (const name of readdirSync(dir)) expect(statSync(join(dir, name)).mode & 0o077, name).toBe(0)
    expect(
      (await send(`${world.server.url}/api/v1/version`, { ca: await world.pebble.root(), servername: 'git.test' }))
        .status,
    ).toBe(200)
  })

  it('is renewed after two thirds of its lifetime, with the same account', async () => {
    const world = await openWorld({ pebble: { validitySeconds: 90 * 24 * 3600 } })
    await world.renew()
    const first = await certificateOf(world)
    const account = readFileSync(join(world.server.dataDir, 'tls/account.pem'), 'utf8')
    world.ahead = 59 * 24 * HOUR_MS
    await world.renew()
    expect(await certificateOf(world)).toEqual(first)
    world.ahead = 61 * 24 * HOUR_MS
    await world.renew()
    expect((await certificateOf(world)).serial).not.toBe(first.serial)
    expect(readFileSync(join(world.server.dataDir, 'tls/account.pem'), 'utf8')).toBe(account)
  })

  it('is not ordered repeatedly when the server refuses', async () => {
    const world = await openWorld({ names: ['git.test', BLOCKED] })
    for (let minute = 0; minute < 30; minute += 5) {
      world.ahead = minute * 60_000
      await world.renew()
    }
    expect(ordered(world)).toHaveLength(2) // at once, and after ten minutes; the next one is twenty later
    expect(world.lines.filter((line) => line.startsWith('error')).join('\n')).toMatch(/issued no certificate.*blocked/i)
    expect(state(world)).toMatchObject({ failures: 2, reason: expect.stringMatching(/blocked/i) })
    await expect(certificateOf(world)).rejects.toThrow(/self-signed/)
    world.ahead = 30 * 24 * HOUR_MS
    await world.renew()
    expect(ordered(world)).toHaveLength(3)
    expect(state(world).nextAttemptAt - (Date.now() + world.ahead)).toBeGreaterThan(0.6 * HOUR_MS)
  })

  it('remains in use while the ACME server is unavailable, and is renewed afterwards', async () => {
    const world = await openWorld()
    await world.renew()
    const first = await certificateOf(world)
    const root = await world.pebble.root()
    await world.pebble.stop()
    world.ahead = 80 * 24 * HOUR_MS
    await world.renew()
    const socket = await handshake(world.server.url, { ca: root, servername: 'git.test' })
    expect(socket.getPeerCertificate().serialNumber).toBe(first.serial)
    socket.destroy()
    expect(state(world)).toMatchObject({ failures: 1, reason: expect.stringContaining('ECONNREFUSED') })
    await world.pebble.start()
    world.ahead += HOUR_MS
    await world.renew()
    expect((await certificateOf(world)).names).toBe('DNS:git.test')
    expect(state(world)).toMatchObject({ failures: 0, reason: '' })
  })

  it('is ordered with the other challenge when one fails', async () => {
    // Nothing answers at the port where the ACME server looks for http-01.
    const world = await openWorld({ pebble: { httpPort: await freePort() } })
    await world.renew()
    expect(state(world).reason).toMatch(/^http-01: .*refused/)
    world.ahead = HOUR_MS
    await world.renew()
    expect((await certificateOf(world)).names).toBe('DNS:git.test')
    expect(ordered(world)).toEqual(['http-01', 'tls-alpn-01'])
  })

  it('is not issued for a wrong answer to the challenge', async () => {
    const world = await openWorld({ settings: { 'tls.http_port': '0' } })
    const other = await (await createAuthority()).issue({ names: ['git.test'] })
    world.server.app.certificates!.challenge = () => other
    await world.renew()
    expect(state(world)).toMatchObject({ failures: 1, reason: expect.stringMatching(/^tls-alpn-01: Incorrect/) })
    await expect(certificateOf(world)).rejects.toThrow(/self-signed/)
  })

  it('is requested no sooner than the ACME server allows while it validates', async () => {
    const world = await openWorld({ pebble: { retryAfterSeconds: 5 } })
    const began = performance.now()
    await world.renew()
    expect((await certificateOf(world)).names).toBe('DNS:git.test')
    // The header may be a date, which has no parts of seconds.
    expect(performance.now() - began).toBeGreaterThan(4_000)
  })

  it('is ordered once by concurrent checks', async () => {
    const world = await openWorld()
    await Promise.all([world.renew(), world.renew(), world.renew()])
    expect(ordered(world)).toEqual(['http-01'])
  })
})
