import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { freePort } from '../../harness/free-port.ts'
import { findPebble, type Pebble, startPebble } from '../../harness/pebble.ts'
import { copyTemplate } from '../../harness/postgres.ts'
import { type Folder, type IngotProcess, startIngot, temporaryFolder } from '../../harness/process.ts'
import { handshake, serialOf } from './fixture.ts'

const pebbleProgram = findPebble()

describe.skipIf(pebbleProgram === undefined || inject('postgresUrl') === '')('a certificate of two nodes', () => {
  let folder: Folder
  let database: Awaited<ReturnType<typeof copyTemplate>>
  let pebble: Pebble
  let ports: readonly number[]
  let redirects: number
  const nodes = new Map<number, IngotProcess>()
  const ended: string[] = []

  beforeAll(async () => {
    folder = temporaryFolder()
    database = await copyTemplate(inject('postgresUrl'), `acme_${randomBytes(6).toString('hex')}`)
    ports = [await freePort(), await freePort()]
    redirects = await freePort()
    pebble = await startPebble(pebbleProgram!, { httpPort: redirects, tlsPort: ports[1]! })
  }, 60_000)
  afterAll(async () => {
    await Promise.all([...nodes.values()].map((node) => node.stop('SIGKILL')))
    await pebble.close()
    await database.drop()
    folder.remove()
  })

  /** The second node has two workers, and no port for redirects: it answers the other challenge. */
  async function start(n: 0 | 1, ...more: string[]): Promise<void> {
    const settings = [
      `database.url=${database.url}`,
      'database.max_connections=6',
      'cluster.enabled=true',
      `cluster.node=node-${n}`,
      `server.workers=${n + 1}`,
      'server.host=127.0.0.1',
      'server.root_url=https://git.test',
      'tls.acme=true',
      `tls.acme_directory=${pebble.directory}`,
      `tls.acme_ca_file=${pebble.caFile}`,
      `tls.http_port=${n === 0 ? redirects : 0}`,
      'log.level=info',
      ...more,
    ].flatMap((setting) => ['--set', setting])
    nodes.set(n, await startIngot(join(folder.path, 'data'), [...settings, '--port', String(ports[n])]))
  }
  async function restart(n: 0 | 1, ...more: string[]): Promise<void> {
    const node = nodes.get(n)!
    await node.stop()
    ended.push(JSON.stringify(node.output()))
    await start(n, ...more)
  }
  const urlOf = (n: number): string => `https://127.0.0.1:${ports[n]}`
  /** The names that each process of both nodes answers with; fails while one has no certificate of the ACME server. */
  async function served(): Promise<string[]> {
    const ca = await pebble.root()
    const found = new Set<string>()
    for (const n of [0, 1, 1, 1, 1, 1, 1, 1]) {
      const socket = await handshake(urlOf(n), { ca, servername: 'git.test' })
      const { subjectaltname, serialNumber } = socket.getPeerCertificate()
      found.add(`${subjectaltname} ${serialNumber}`)
      socket.destroy()
    }
    return [...found].map((text) => text.replace(/ [0-9A-F]+$/, ''))
  }
  const orders = (): number =>
    [...ended, ...[...nodes.values()].map((node) => JSON.stringify(node.output()))]
      .join()
      .split('ordering a certificate').length - 1

  it('is ordered by one of them, and served by all, also after a restart', { timeout: 180_000 }, async () => {
    await Promise.all([start(0), start(1)])
    await expect.poll(() => served().catch(() => []), { timeout: 60_000 }).toEqual(['DNS:git.test'])
    expect(orders()).toBe(1)
    const serial = await serialOf(urlOf(1))
    await restart(0)
    expect(await serialOf(urlOf(0)), 'at once').toBe(serial)

    // Each node in turn: the job of a node with new settings may be run by one that still has the old ones.
    await restart(1, 'tls.acme_domains=code.test')
    await restart(0, 'tls.acme_domains=code.test')
    await expect.poll(() => served().catch(() => []), { timeout: 60_000 }).toEqual(['DNS:git.test, DNS:code.test'])
    expect(orders()).toBe(2)
  })
})
