import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { createAuthority } from './certificates.ts'
import { freePort } from './free-port.ts'

export interface Pebble {
  readonly directory: string
  /** Authority of the server itself, not of the certificates that it issues. */
  readonly caFile: string
  /** The authority of the certificates that it issues. */
  root(): Promise<string>
  stop(): Promise<void>
  /** After stop: at the same address, with another authority and without accounts. */
  start(): Promise<void>
  close(): Promise<void>
}

export interface PebbleOptions {
  /** Port at which it looks for the answers to challenges, of every name. */
  readonly httpPort: number
  readonly tlsPort: number
  readonly validitySeconds?: number
  /** Value of its header Retry-After, while it validates and issues. */
  readonly retryAfterSeconds?: number
  readonly env?: Readonly<Record<string, string>>
}

const START_DEADLINE_MS = 30_000
/** It refuses this name. */
export const BLOCKED = 'blocked.test'

/** Path of the ACME server that `.ci/run` builds, or of one in INGOT_PEBBLE; undefined where there is none. */
export function findPebble(): string | undefined {
  const path = process.env['INGOT_PEBBLE'] ?? ''
  if (path !== '' && existsSync(path)) return path
  process.stderr.write('no Pebble in INGOT_PEBBLE: the tests with an ACME server are left out\n')
  return undefined
}

/** A real ACME server on free loopback ports, for which every name is at 127.0.0.1. */
export async function startPebble(program: string, options: PebbleOptions): Promise<Pebble> {
  const dir = mkdtempSync(join(tmpdir(), 'ingot-acme-'))
  const authority = await createAuthority()
  const [cert, key, caFile, config] = ['cert.pem', 'key.pem', 'ca.pem', 'config.json'].map((name) =>
    join(dir, name),
  ) as [string, string, string, string]
  const pair = await authority.issue()
  writeFileSync(cert, pair.cert)
  writeFileSync(key, pair.key)
  writeFileSync(caFile, authority.pem)
  const [port, managementPort] = [await freePort(), await freePort()]
  const pebble = {
    listenAddress: `127.0.0.1:${port}`,
    managementListenAddress: `127.0.0.1:${managementPort}`,
    certificate: cert,
    privateKey: key,
    httpPort: options.httpPort,
    tlsPort: options.tlsPort,
    ocspResponderURL: '',
    externalAccountBindingRequired: false,
    domainBlocklist: [BLOCKED],
    retryAfter: { authz: options.retryAfterSeconds ?? 1, order: options.retryAfterSeconds ?? 1 },
    keyAlgorithm: 'ecdsa',
    profiles: { default: { description: '', validityPeriod: options.validitySeconds ?? 7_776_000 } },
  }
  writeFileSync(config, JSON.stringify({ pebble }))
  const names = await startNames()
  const directory = `https://localhost:${port}/dir`
  const read = (url: string): Promise<string> =>
    new Promise((resolve, reject) => {
      request(url, { ca: authority.pem, agent: false }, (answer) => void text(answer).then(resolve, reject))
        .once('error', reject)
        .end()
    })
  let child: ChildProcess
  let ended: Promise<unknown>
  const stop = async (): Promise<void> => {
    child.kill()
    await ended
  }
  const close = async (): Promise<void> => {
    await stop()
    names.close()
    rmSync(dir, { recursive: true, force: true })
  }
  const start = async (): Promise<void> => {
    child = spawn(program, ['-config', config, '-strict', '-dnsserver', `127.0.0.1:${names.port}`], {
      stdio: 'ignore',
      env: { PATH: process.env['PATH'] ?? '', PEBBLE_VA_NOSLEEP: '1', PEBBLE_VA_ALWAYS_VALID: '0', ...options.env },
    })
    ended = once(child, 'close')
    for (const end = performance.now() + START_DEADLINE_MS; !(await read(directory).catch(() => '')); await sleep(20)) {
      if (child.exitCode === null && performance.now() < end) continue
      await close()
      throw new Error('Pebble does not start')
    }
  }
  await start()
  return { directory, caFile, root: () => read(`https://localhost:${managementPort}/roots/0`), stop, start, close }
}

/** A DNS server that answers 127.0.0.1 to every question for an IPv4 address, and nothing to others. */
async function startNames(): Promise<{ readonly port: number; close(): void }> {
  // NOTE: by TCP, which Pebble uses; each message has its length before it, and comes alone.
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy())
    socket.on('data', (message: Buffer) => {
      const answer = answerName(message.subarray(2))
      const length = Buffer.alloc(2)
      length.writeUInt16BE(answer.length)
      socket.write(Buffer.concat([length, answer]))
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { port: (server.address() as AddressInfo).port, close: () => void server.close() }
}

function answerName(query: Buffer): Buffer {
  let end = 12
  while (query[end] !== 0) end += query[end]! + 1
  end += 5
  const isAddress = query.readUInt16BE(end - 4) === 1
  const head = Buffer.from(query.subarray(0, 12))
  head.writeUInt16BE(0x8180, 2)
  head.writeUInt16BE(isAddress ? 1 : 0, 6)
  head.writeUInt32BE(0, 8)
  const address = Buffer.from('c00c000100010000000000047f000001', 'hex')
  return Buffer.concat([head, query.subarray(12, end), ...(isAddress ? [address] : [])])
}
