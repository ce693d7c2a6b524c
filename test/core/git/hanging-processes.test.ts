import { chmodSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { GitRepo } from '../../../src/core/git/index.ts'
import { setChildPath } from '../../../src/core/platform/process/process.ts'
import { SMALL, startWorld, type World } from './fixture.ts'
import { git, processesWith, tempDir, tryGit, until } from './wire/client.ts'
import { startWireServer, type WireServer } from './wire/server.ts'
import { MEASURED } from '../../harness/measured.ts'

const DEADLINE_MS = 700
/** In the command line of the program that stands in for git and never answers. */
const MARK = `98765.${process.pid}`

const dir = tempDir()
afterEach(() => setChildPath(process.env['PATH']!))
afterAll(() => dir.remove())

/** From now on every git of the server hangs. */
function hang(): void {
  const folder = join(dir.path, 'hanging')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'git'), `#!/bin/sh\nexec sleep ${MARK}\n`)
  chmodSync(join(folder, 'git'), 0o755)
  setChildPath(`${folder}:${process.env['PATH']}`)
}

const noneIsLeft = (): Promise<void> =>
  until('the hanging processes are ended', async () => (await processesWith(MARK)) === 0)

describe('a git process that hangs under the API', () => {
  let world: World
  let repo: GitRepo
  beforeAll(async () => {
    world = await startWorld({ deadline: DEADLINE_MS, idleReader: 60_000 })
    repo = await world.repo('sha1', SMALL)
  })
  afterAll(() => world.end())

  it.each([
    ['a reader of objects', (on: GitRepo) => on.objects.commit('1'.repeat(40))],
    ['a command', (on: GitRepo) => on.history.count({ tip: '2'.repeat(40) })],
    [
      'a change of refs',
      (on: GitRepo) => on.refs.update([{ ref: 'refs/heads/new', new: '3'.repeat(40), old: on.zeroOid }]),
    ],
    [
      'what streams',
      async (on: GitRepo) => {
        for await (const _ of on.command.stream(['log'])) continue
      },
    ],
  ])('is ended by its deadline: %s', MEASURED, async (_, ask) => {
    hang()
    const before = performance.now()
    await expect(ask(repo)).rejects.toThrow()
    expect(performance.now() - before).toBeLessThan(DEADLINE_MS * 6)
    await noneIsLeft()
    setChildPath(process.env['PATH']!)
    const tip = (await repo.refs.snapshot()).get('refs/heads/main')!.oid
    expect((await repo.objects.commit(tip)).oid).toBe(tip)
    await repo.refs.update([{ ref: 'refs/heads/after', new: tip }])
  })
})

describe('a git process that hangs in a transfer', () => {
  let server: WireServer
  let work: string
  beforeAll(async () => {
    server = await startWireServer({ dir: dir.path, deadlineMs: DEADLINE_MS })
    work = join(dir.path, 'work')
    await git(dir.path, ['init', '-q', '-b', 'main', work])
    await git(work, ['commit', '-q', '--allow-empty', '-m', 'one'])
  })
  afterAll(() => server.close())

  it('is ended by its deadline, and the next push and clone go through', async () => {
    const repo = await server.repo('hanging')
    const url = `${server.url}/hanging.git`
    hang()
    expect((await tryGit(work, ['push', '-q', url, 'main'])).code).not.toBe(0)
    await noneIsLeft()
    await until('the push is over', () => server.active() === 0)
    expect(readdirSync(join(repo.path, 'objects')).sort()).toEqual(['info', 'pack'])
    setChildPath(process.env['PATH']!)
    await git(work, ['push', '-q', url, 'main'])
    await git(work, ['ls-remote', url])
    hang()
    for (const version of ['0', '2'])
      expect(
        (
          await tryGit(dir.path, [
            '-c',
            `protocol.version=${version}`,
            'clone',
            '-q',
            '--depth=1',
            url,
            join(dir.path, `none-${version}`),
          ])
        ).code,
      ).not.toBe(0)
    await noneIsLeft()
    setChildPath(process.env['PATH']!)
    await git(dir.path, ['clone', '-q', url, join(dir.path, 'clone')])
  })
})
