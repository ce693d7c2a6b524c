import { execFile, type ExecFileException } from 'node:child_process'
import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { GIT_ENV } from '../harness/git-env.ts'
import { runCommand, serveHere, startIngot, temporaryFolder, type Folder, type ServerHere } from '../harness/process.ts'

const ROUNDS = 3
const TAGS = 500
const LONGEST_MS = 500
let folder: Folder
let data: string
let work: string
let password = ''
let tip = ''
/** Names of tags that were acknowledged. */
const acknowledged = new Set<string>()

const git = (...args: string[]): Promise<string | undefined> =>
  new Promise((resolve) => {
    execFile(
      'git',
      ['-c', 'user.name=T', '-c', 'user.email=t@example.test', ...args],
      { cwd: work, env: GIT_ENV, maxBuffer: 1 << 26 },
      (error: ExecFileException | null, stdout) => resolve(error ? undefined : stdout.trim()),
    )
  })

const remote = (server: ServerHere): string =>
  `${server.url.replace('//', `//admin:${encodeURIComponent(password)}@`)}/admin/tags.git`
const tagsOf = async (server: ServerHere): Promise<Set<string>> =>
  new Set(
    (await git('ls-remote', '--refs', remote(server), 'refs/tags/*'))!
      .split('\n')
      .filter(Boolean)
      .map((line) => line.split('\t')[1]!),
  )
const round = (name: number): string[] => Array.from({ length: TAGS }, (_, index) => `refs/tags/r${name}/v${index}`)

beforeAll(async () => {
  folder = temporaryFolder()
  data = join(folder.path, 'data')
  work = join(folder.path, 'work')
  mkdirSync(work)
  const server = await serveHere(data)
  password = server.password
  const headers = {
    authorization: `Basic ${Buffer.from(`admin:${password}`).toString('base64')}`,
    'content-type': 'application/json',
  }
  expect(
    (
      await fetch(`${server.url}/api/v1/user/repos`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ name: 'tags' }),
      })
    ).status,
  ).toBe(201)
  await git('init', '-q', '-b', 'main')
  await git('commit', '-q', '--allow-empty', '-m', 'x')
  tip = (await git('rev-parse', 'HEAD'))!
  await git('push', '-q', remote(server), 'main')
  await server.stop()
})
afterAll(() => folder.remove())

describe('kill -9', () => {
  it(`at ${ROUNDS} moments of pushes of ${TAGS} tags leaves all tags of a push or none of them, and no locks`, async () => {
    let killed = 0
    let server = await startIngot(data)
    for (let i = 0; i < ROUNDS; i++) {
      const pushing = git('push', '-q', remote(server), ...round(i).map((ref) => `${tip}:${ref}`))
      const answer = pushing.then((output) => output !== undefined)
      await Promise.race([answer, wait(150 + (LONGEST_MS * i) / ROUNDS)])
      await server.stop('SIGKILL')
      if (await answer) for (const ref of round(i)) acknowledged.add(ref)
      else killed++
      server = await startIngot(data)
      const there = await tagsOf(server)
      expect([...acknowledged].filter((ref) => !there.has(ref))).toEqual([])
      expect([0, TAGS]).toContain(round(i).filter((ref) => there.has(ref)).length)
      expect(await git('push', '-q', remote(server), ...round(i).map((ref) => `${tip}:${ref}`))).toBe('')
      for (const ref of round(i)) acknowledged.add(ref)
    }
    expect(await server.stop()).toBe(0)
    expect(killed).toBeGreaterThan(0)
    const names = readdirSync(join(data, 'git'), { recursive: true }).map(String)
    expect(names.filter((name) => name.endsWith('.lock'))).toEqual([])
    expect((await runCommand(['doctor', '--data-dir', data])).code).toBe(0)
  }, 300_000)
})
