import { readdirSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type CheckResult, runChecks } from '../../../src/app/doctor.ts'
import { createLogger } from '../../../src/core/platform/logger.ts'
import { codeRepo, type CodeRepo, oracle, SMALL } from '../../code/code-world.ts'
import { startServer, type TestServer } from '../../harness/server.ts'
import { PASSWORD, type Person } from '../../harness/world.ts'
import { startWorld } from './fixture.ts'
import { git } from './wire/client.ts'

interface Damage {
  readonly name: string
  /** What the message names. */
  readonly named: string
  do(path: string): void
}

const packed = (path: string): string => join(path, 'packed-refs')

/** NOTE: as git changes refs, by a new file: a directory that looks unchanged is not read again. */
function replaceRef(path: string, text: string): void {
  writeFileSync(join(path, 'refs/heads/main.new'), text)
  renameSync(join(path, 'refs/heads/main.new'), join(path, 'refs/heads/main'))
}

const DAMAGES: readonly Damage[] = [
  {
    name: 'a loose ref with other bytes',
    named: 'refs/heads/main',
    do: (path) => replaceRef(path, 'x'.repeat(40)),
  },
  {
    name: 'an empty loose ref',
    named: 'refs/heads/main',
    do: (path) => replaceRef(path, ''),
  },
  {
    name: 'packed refs that end in the middle',
    named: 'packed-refs',
    do(path) {
      oracle(path, ['pack-refs', '--all'])
      truncateSync(packed(path), 100)
    },
  },
  {
    name: 'empty packed refs',
    named: 'packed-refs',
    do(path) {
      oracle(path, ['pack-refs', '--all'])
      truncateSync(packed(path), 0)
    },
  },
  { name: 'an empty HEAD', named: 'HEAD', do: (path) => writeFileSync(join(path, 'HEAD'), '') },
]

describe('a repository with', () => {
  let server: TestServer
  let ann: Person
  let code: CodeRepo
  let lines: string[]
  beforeEach(async () => {
    lines = []
    const log = createLogger('warn', { write: (line: string) => void lines.push(line) })
    server = await startServer({ log, tuning: { recheckMs: 0 } })
    ann = await server.world.user('ann')
    code = await codeRepo(server, ann, { name: 'code', history: SMALL })
  })
  afterEach(() => server.close())

  const remote = (): string => `${server.url.replace('//', `//ann:${encodeURIComponent(PASSWORD)}@`)}/ann/code.git`

  async function expectUnavailable(named: string): Promise<void> {
    for (const address of ['branches', 'contents', 'commits', 'tags', 'raw/src/a.ts']) {
      const answer = await ann.client.get(`${code.path}/${address}`)
      expect(answer, address).toMatchObject({ status: 503, json: { message: expect.stringContaining(named) } })
    }
    for (const address of ['src/branch/main', 'branches', 'raw/branch/main/src/a.ts', 'archive/main.zip']) {
      const { status, headers } = await fetch(`${server.url}/ann/code/${address}`)
      expect([status, headers.get('retry-after')], address).toEqual([503, '5'])
    }
    const body = { content: Buffer.from('x').toString('base64') }
    expect((await ann.client.post(`${code.path}/contents/x`, body)).status).toBe(503)
    expect(lines.some((line) => line.includes('/ann/code/branches') && line.includes(named))).toBe(true)
  }

  async function doctorLines(): Promise<string[]> {
    const found: CheckResult[] = []
    for await (const result of runChecks(server.app.checks, { fix: false, quick: true })) found.push(result)
    return found.flatMap(({ findings }) => findings.map(({ what }) => what))
  }

  it.each(DAMAGES)('$name is unavailable, not empty', async ({ named, do: damage }) => {
    expect((await ann.client.get(`${code.path}/branches`)).status).toBe(200)
    damage(code.git.path)
    await expectUnavailable(named)
    await expect(git(code.git.path, ['ls-remote', remote()])).rejects.toThrow()
    expect((await doctorLines()).filter((line) => line.startsWith('ann/code') && line.includes(named))).not.toEqual([])
  })
})

describe('a ref whose pack is lost', () => {
  it('is damage, not a ref that does not exist', async () => {
    const world = await startWorld()
    try {
      const repo = await world.repo('sha1', SMALL)
      oracle(repo.path, ['repack', '-adq'])
      const packs = join(repo.path, 'objects/pack')
      for (const file of readdirSync(packs)) rmSync(join(packs, file))
      const corrupt = { kind: 'corrupt', message: expect.stringContaining('refs/heads/main is missing') }
      await expect(repo.revisions.findStrict('main')).rejects.toMatchObject(corrupt)
      await expect(repo.revisions.findLoose('HEAD')).rejects.toMatchObject(corrupt)
      expect(await repo.revisions.findStrict('nope')).toBeUndefined()
    } finally {
      world.end()
    }
  })
})
