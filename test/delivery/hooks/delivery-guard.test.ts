import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer as createTlsServer } from 'node:https'
import { connect } from 'node:net'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import type { Any } from '../../harness/client.ts'
import { startReceiver } from '../../harness/receiver.ts'
import { createHookWorld, type HookWorld } from './hook-world.ts'
import { MEASURED } from '../../harness/measured.ts'

const MIB = 1024 * 1024

describe('the receiver of a webhook', () => {
  let world: HookWorld
  afterEach(() => world.close())

  const openWorld = async (settings: Record<string, string> = {}): Promise<HookWorld> =>
    (world = await createHookWorld({ settings }))

  /** The only delivery of a new webhook, after one push. */
  async function deliverTo(url: string): Promise<Any> {
    const hook = await world.hook({ url })
    await world.push(`f${hook.id}`)
    await world.server.drain()
    const [entry] = await world.deliveries(hook.id)
    return (await world.ann.client.get(`/repos/ann/r/hooks/${hook.id}/deliveries/${entry.uuid}`)).json
  }

  it.each([
    'http://127.0.0.1:9/',
    'http://[::1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://0x7f000001/',
    'http://127.1/',
    'http://169.254.169.254/latest/meta-data/',
    'http://10.0.0.1/',
    'http://localhost/',
    'http://0.0.0.0/',
  ])('must not be %s unless the operator allows it', async (url) => {
    await openWorld({ 'webhook.allowed_hosts': '' })
    expect(await deliverTo(url)).toMatchObject({
      state: 'waiting',
      status: 0,
      error: expect.stringMatching(/^refused: connections to .* are not allowed by webhook.allowed_hosts$/),
      response: null,
    })
  })

  it('is never the target of a redirect', async () => {
    await openWorld()
    world.receiver.answer(({ path }, response) =>
      path === '/hook'
        ? response.writeHead(307, { location: world.receiver.url.replace('/hook', '/secret') }).end()
        : response.end(),
    )
    const delivery = await deliverTo(world.receiver.url)
    expect(delivery).toMatchObject({ status: 307, error: 'the answer was 307', state: 'waiting' })
    expect(world.receiver.got).toHaveLength(1)
    world.receiver.answer((_, response) =>
      response.writeHead(302, { location: 'http://169.254.169.254/latest/meta-data/' }).end(),
    )
    expect(await deliverTo(world.receiver.url)).toMatchObject({ status: 302, error: 'the answer was 302' })
  })

  it('may respond with 10 MB, of which 64 KiB are read', async () => {
    await openWorld()
    world.receiver.answer((_, response) => response.end('x'.repeat(10 * MIB)))
    const delivery = await deliverTo(world.receiver.url)
    expect(delivery).toMatchObject({ state: 'delivered', status: 200 })
    expect(delivery.response.body).toBe('x'.repeat(64 * 1024))
  })

  it('may respond endlessly: its status counts', MEASURED, async () => {
    await openWorld({ 'webhook.deliver_timeout': '2' })
    let sent = 0
    world.receiver.answer((_, response) => {
      const more = (): void => {
        while (!response.destroyed && response.write('y'.repeat(16 * 1024))) sent += 16 * 1024
      }
      response.on('drain', more)
      more()
    })
    expect(await deliverTo(world.receiver.url)).toMatchObject({ state: 'delivered', status: 200 })
    expect(sent).toBeLessThan(20 * MIB)
    world.receiver.answer((_, response) => void response.write('slowly'))
    const slow = await deliverTo(world.receiver.url)
    expect(slow).toMatchObject({ state: 'delivered', status: 200, response: { body: 'slowly' } })
    expect(slow.duration_ms).toBeLessThan(4_000)
  })

  it('must respond within the configured time', MEASURED, async () => {
    await openWorld({ 'webhook.deliver_timeout': '1' })
    world.receiver.answer(() => {})
    const delivery = await deliverTo(world.receiver.url)
    expect(delivery).toMatchObject({ status: 0, error: expect.stringContaining('timeout: ') })
    expect(delivery.duration_ms).toBeLessThan(2_500)
  })

  it('causes different errors for broken HTTP and for no server', async () => {
    await openWorld()
    world.receiver.answer((_, response) => void response.socket!.end('not HTTP\r\n\r\n'))
    expect(await deliverTo(world.receiver.url)).toMatchObject({
      status: 0,
      error: expect.stringMatching(/^unreachable: /),
    })
    expect(await deliverTo('http://127.0.0.1:9/')).toMatchObject({ error: 'unreachable: ECONNREFUSED' })
  })

  describe('over TLS', () => {
    const dir = mkdtempSync(join(tmpdir(), 'ingot-tls-'))
    const [key, cert] = [join(dir, 'key.pem'), join(dir, 'cert.pem')]
    const options = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
    execFileSync('openssl', [...options, '-days', '2', '-subj', '/CN=other.test', '-keyout', key, '-out', cert], {
      stdio: 'ignore',
    })
    const tls = { key: readFileSync(key), cert: readFileSync(cert) }
    rmSync(dir, { recursive: true })

    it('needs a valid certificate unless the operator disables the check', async () => {
      const receiver = await startReceiver((listener) => createTlsServer(tls, listener), 'https')
      try {
        await openWorld()
        expect(await deliverTo(receiver.url)).toMatchObject({
          status: 0,
          error: 'unreachable: DEPTH_ZERO_SELF_SIGNED_CERT',
        })
        await world.close()
        await openWorld({ 'webhook.skip_tls_verify': 'true' })
        expect(await deliverTo(receiver.url)).toMatchObject({ status: 200, state: 'delivered' })
        expect(receiver.got).toHaveLength(1)
      } finally {
        await receiver.close()
      }
    })

    it('is reached through the configured proxy, at the checked address', async () => {
      const asked: string[] = []
      const proxy = createServer().on('connect', (request, socket) => {
        asked.push(`${request.url} ${request.headers['proxy-authorization']}`)
        const [, port] = request.url!.split(':')
        const onward = connect(Number(port), '127.0.0.1', () => socket.write('HTTP/1.1 200 OK\r\n\r\n'))
        onward.pipe(socket).pipe(onward)
        for (const end of [onward, socket]) end.on('error', () => {})
      })
      await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
      const receiver = await startReceiver((listener) => createTlsServer(tls, listener), 'https')
      const direct = await startReceiver()
      try {
        await openWorld({
          'webhook.proxy_url': `http://u:p%40@127.0.0.1:${(proxy.address() as AddressInfo).port}`,
          'webhook.proxy_hosts': 'localhost',
          'webhook.allowed_hosts': '127.0.0.1',
          'webhook.skip_tls_verify': 'true',
        })
        const named = (url: string): string => url.replace('127.0.0.1', 'localhost')
        expect(await deliverTo(named(world.receiver.url))).toMatchObject({ status: 200, error: '' })
        expect(await deliverTo(named(receiver.url))).toMatchObject({ status: 200 })
        const credentials = `Basic ${Buffer.from('u:p@').toString('base64')}`
        expect([...new Set(asked)]).toEqual(
          [world.receiver.url, receiver.url].map((url) => `127.0.0.1:${new URL(url).port} ${credentials}`),
        )
        expect(await deliverTo(direct.url)).toMatchObject({ status: 200 })
        expect(asked.some((authority) => authority.startsWith(`127.0.0.1:${new URL(direct.url).port}`))).toBe(false)
      } finally {
        proxy.closeAllConnections()
        proxy.close()
        await receiver.close()
        await direct.close()
      }
    })
  })
})
