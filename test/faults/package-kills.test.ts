import { createHash, randomBytes } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterEach, beforeEach, expect, inject, it } from 'vitest'
import { dialectFor, openDatabase } from '../../src/core/db/database.ts'
import { describeOnBoth } from '../harness/databases.ts'
import { copyTemplate } from '../harness/postgres.ts'
import { type Folder, type IngotProcess, startIngot, temporaryFolder } from '../harness/process.ts'

const ALL = process.env['INGOT_TEST_FAULTS'] === 'all'
const PUBLISHERS = 64
/** `INGOT_TEST_FAULTS=all` kills ten times. */
const KILLS = ALL ? 10 : 2
/** Versions that are acknowledged between two kills. */
const BETWEEN = 100
const PATIENCE_MS = 120_000 * (ALL ? 5 : 1)

interface Version {
  readonly type: 'generic' | 'npm'
  readonly name: string
  readonly version: string
}

/** Half of the versions share their bytes with another package. */
const contentOf = ({ name, version }: Version): string =>
  `${Number(version.split('.')[2]) % 2 === 0 ? name : 'shared'} ${version} `.repeat(2_000)
const fileOf = ({ type, name, version }: Version): string =>
  type === 'npm' ? `npm/${name}/-/${version}/${name}-${version}.tgz` : `generic/${name}/${version}/f`
const keyOf = ({ type, name, version }: Version): string => `${type} ${name} ${version}`

function publicationOf(one: Version): { readonly path: string; readonly body: string } {
  const { name, version } = one
  if (one.type === 'generic') return { path: fileOf(one), body: contentOf(one) }
  const data = Buffer.from(contentOf(one))
  const integrity = `sha512-${createHash('sha512').update(data).digest('base64')}`
  const document = {
    name,
    versions: { [version]: { name, version, dist: { integrity } } },
    'dist-tags': { latest: version },
    _attachments: { [`${name}-${version}.tgz`]: { data: data.toString('base64'), length: data.length } },
  }
  return { path: `npm/${name}`, body: JSON.stringify(document) }
}

describeOnBoth('the registries of packages', (kind) => {
  let folder: Folder
  let copy: Awaited<ReturnType<typeof copyTemplate>> | undefined
  let dataDir = ''
  let server: IngotProcess
  let authorization = ''
  const start = (): Promise<IngotProcess> =>
    startIngot(dataDir, copy === undefined ? [] : ['--set', `database.url=${copy.url}`])
  beforeEach(async () => {
    folder = temporaryFolder()
    dataDir = join(folder.path, 'data')
    copy =
      kind === 'postgres' ? await copyTemplate(inject('postgresUrl'), `k_${randomBytes(6).toString('hex')}`) : undefined
    server = await start()
    authorization = `Basic ${btoa(`admin:${server.password}`)}`
  }, 60_000)
  afterEach(async () => {
    await server.stop('SIGKILL')
    await copy?.drop()
    folder.remove()
  })

  const registry = (path: string): string => `${server.url}/api/packages/admin/${path}`

  async function listVersions(): Promise<Version[]> {
    const all: Version[] = []
    for (let page = 1, got = 50; got === 50; page++) {
      const url = `${server.url}/api/v1/packages/admin?limit=50&page=${page}`
      const some = (await (await fetch(url, { headers: { authorization } })).json()) as Version[]
      all.push(...some)
      got = some.length
    }
    return all
  }

  function storedBlobs(): string[] {
    const files = readdirSync(join(dataDir, 'blobs/packages'), { recursive: true, encoding: 'utf8' })
    return files.flatMap((path) => /([0-9a-f]{64})$/.exec(path)?.[1] ?? []).toSorted()
  }

  it(
    '64 publishers lose nothing that was acknowledged when the server is killed, and no half version is listed',
    async () => {
      const acknowledged = new Map<string, Version>()
      const end = performance.now() + PATIENCE_MS
      let killed = 0
      const isOver = (): boolean =>
        (killed === KILLS && acknowledged.size >= BETWEEN * (KILLS + 1)) || performance.now() > end

      /** 201, or 409 when the former attempt was acknowledged by a server that was killed before it answered. */
      async function publish(one: Version): Promise<void> {
        const { path, body } = publicationOf(one)
        while (performance.now() < end)
          try {
            const headers = { authorization, 'content-type': 'application/json' }
            const answer = await fetch(registry(path), { method: 'PUT', headers, body })
            const text = await answer.text()
            if (answer.status < 500) {
              expect([201, 409], text).toContain(answer.status)
              acknowledged.set(keyOf(one), one)
              return
            }
          } catch {
            await wait(50)
          }
      }
      const work = async (index: number): Promise<void> => {
        const type = index % 2 === 0 ? 'generic' : 'npm'
        for (let n = 0; !isOver(); n++) await publish({ type, name: `tool${index}`, version: `1.0.${n}` })
      }
      const kill = async (): Promise<void> => {
        while (killed < KILLS && performance.now() < end) {
          await wait(20)
          if (acknowledged.size < (killed + 1) * BETWEEN) continue
          await server.stop('SIGKILL')
          server = await start()
          killed++
        }
      }
      await Promise.all([...Array.from({ length: PUBLISHERS }, (_, index) => work(index)), kill()])
      expect(killed).toBe(KILLS)

      const listed = await listVersions()
      const keys = new Set(listed.map(keyOf))
      expect([...acknowledged.keys()].filter((key) => !keys.has(key))).toEqual([])
      for (const one of listed) {
        const answer = await fetch(registry(fileOf(one)), { headers: { authorization } })
        expect([keyOf(one), answer.status, await answer.text()]).toEqual([keyOf(one), 200, contentOf(one)])
      }

      const cron = `${server.url}/api/v1/admin/cron/cleanup_packages`
      expect((await fetch(cron, { method: 'POST', headers: { authorization } })).status).toBe(204)
      const limits = { url: copy?.url ?? '', max_connections: 1, statementTimeoutMs: 60_000 }
      const database = openDatabase(dialectFor(limits, dataDir))
      const used = new Set<string>()
      for (const table of ['package_file', 'package_document'] as const)
        for (const { sha256 } of await database.read.selectFrom(table).select('sha256').execute()) used.add(sha256)
      await database.close()
      await expect.poll(storedBlobs, { timeout: 30_000, interval: 200 }).toEqual([...used].toSorted())
    },
    PATIENCE_MS * 2,
  )
})
