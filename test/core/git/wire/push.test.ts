import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { IncomingPush } from '../../../../src/core/git/wire/index.ts'
import { unavailable } from '../../../../src/core/platform/errors.ts'
import { git, tempDir, tryGit } from './client.ts'
import { allowAll, startWireServer, type WireServer } from './server.ts'

const dir = tempDir()
let server: WireServer
let count = 0

beforeAll(async () => {
  server = await startWireServer({ dir: dir.path })
})
beforeEach(() => {
  server.policy = allowAll
  server.maxPackBytes = 1 << 30
  server.requests.length = 0
})
afterAll(async () => {
  await server.close()
  dir.remove()
})

async function setUp(format: 'sha1' | 'sha256' = 'sha1') {
  const name = `push${count++}${format === 'sha256' ? '-256' : ''}`
  const repo = await server.repo(name, format)
  const work = join(dir.path, `${name}-work`)
  await git(dir.path, ['init', '-q', '-b', 'main', `--object-format=${format}`, work])
  await git(work, ['remote', 'add', 'origin', `${server.url}/${name}.git`])
  return { repo: repo.path, work }
}

async function commit(
  work: string,
  file: string,
  content: string | Uint8Array = randomBytes(8).toString('hex'),
): Promise<string> {
  writeFileSync(join(work, file), content)
  await git(work, ['add', '.'])
  await git(work, ['commit', '-qm', `add ${file}`])
  return git(work, ['rev-parse', 'HEAD'])
}

/** No quarantine is left and every object is whole. */
async function expectClean(repo: string): Promise<void> {
  expect(readdirSync(join(repo, 'objects')).filter((name) => name.startsWith('tmp_'))).toEqual([])
  await git(repo, ['fsck', '--strict'])
}

describe.each(['sha1', 'sha256'] as const)('pushing to a %s repo', (format) => {
  it.each(['0', '1', '2'])('creates, updates and deletes with protocol v%s', async (version) => {
    const { repo, work } = await setUp(format)
    const push = ['-c', `protocol.version=${version}`, 'push', '-q', 'origin']
    const first = await commit(work, 'a')
    await git(work, ['tag', 'light'])
    await git(work, ['tag', '-am', 'x', 'heavy'])
    await git(work, [...push, 'main', 'main:other', 'light', 'heavy'])
    const second = await commit(work, 'b')
    await git(work, [...push, 'main'])
    expect(await git(repo, ['rev-parse', 'main', 'other', 'light'])).toBe(`${second}\n${first}\n${first}`)
    await git(work, [...push, ':other', ':light'])
    expect(await git(repo, ['for-each-ref', '--format=%(refname)'])).toBe('refs/heads/main\nrefs/tags/heavy')
    await expectClean(repo)
  })

  it('accepts a large push in chunks and keeps it as a pack', async () => {
    const { repo, work } = await setUp(format)
    for (let i = 0; i < 120; i++) writeFileSync(join(work, `f${i}`), randomBytes(9000))
    await commit(work, 'last')
    await git(work, ['-c', 'http.postBuffer=65536', 'push', '-q', 'origin', 'main'])
    expect(server.requests.some((request) => request.chunked)).toBe(true)
    expect(readdirSync(join(repo, 'objects', 'pack')).filter((name) => name.endsWith('.pack'))).toHaveLength(1)
    await expectClean(repo)
  })

  it('completes thin packs', async () => {
    const { repo, work } = await setUp(format)
    const lines = Array.from({ length: 3000 }, () => randomBytes(12).toString('hex'))
    await commit(work, 'big', lines.join('\n'))
    await git(work, ['push', '-q', 'origin', 'main'])
    for (let i = 0; i < 60; i++) {
      lines[i] = `changed ${i}`
      await commit(work, 'big', lines.join('\n'))
    }
    await git(work, ['push', '-q', '--thin', 'origin', 'main'])
    await expectClean(repo)
  })
})

describe('a push', () => {
  it('shows force pushes to the policy', async () => {
    const { repo, work } = await setUp()
    await commit(work, 'a')
    await commit(work, 'b')
    await git(work, ['push', '-q', 'origin', 'main'])
    const seen: boolean[] = []
    server.policy = {
      async preReceive(push) {
        for (const command of push.commands) seen.push(await push.isForced(command))
        return allowAll.preReceive(push)
      },
    }
    await commit(work, 'c')
    await git(work, ['push', '-q', 'origin', 'main'])
    await git(work, ['reset', '-q', '--hard', 'HEAD~2'])
    const tip = await commit(work, 'd')
    expect((await tryGit(work, ['push', 'origin', 'main'])).stderr).toContain('[rejected]')
    await git(work, ['push', '-q', '--force', 'origin', 'main'])
    expect(seen).toEqual([false, true])
    expect(await git(repo, ['rev-parse', 'main'])).toBe(tip)
  })

  it('passes every command to the policy and sends its lines', async () => {
    const { work } = await setUp()
    const tip = await commit(work, 'a')
    let seen: IncomingPush | undefined
    server.policy = {
      preReceive(push) {
        seen = push
        return Promise.resolve({ verdicts: [{ ok: true }], messages: ['hello from the server'] })
      },
      postReceive: (results) => Promise.resolve([`moved ${results.length}`]),
    }
    const { stderr } = await tryGit(work, ['push', '-o', 'one=1', '-o', 'two', 'origin', 'main'])
    expect(stderr).toMatch(/remote: hello from the server\s+\n.*remote: moved 1/s)
    expect(seen?.pushOptions).toEqual(['one=1', 'two'])
    expect(seen?.commands).toEqual([{ ref: 'refs/heads/main', oldOid: '0'.repeat(40), newOid: tip, kind: 'create' }])
  })

  it('refuses single refs and moves the others', async () => {
    const { repo, work } = await setUp()
    await commit(work, 'a')
    server.policy = refuse('refs/heads/bad', 'branch bad is protected')
    const { code, stderr } = await tryGit(work, ['push', 'origin', 'main', 'main:bad'])
    expect(code).not.toBe(0)
    expect(stderr).toContain('[remote rejected] main -> bad (branch bad is protected)')
    expect(await git(repo, ['for-each-ref', '--format=%(refname)'])).toBe('refs/heads/main')
  })

  it('moves nothing when one ref of an atomic push is refused, and keeps no object', async () => {
    const { repo, work } = await setUp()
    await commit(work, 'a')
    server.policy = refuse('refs/heads/bad', 'no')
    const { stderr } = await tryGit(work, ['push', '--atomic', 'origin', 'main', 'main:bad'])
    expect(stderr).toContain('atomic push failure')
    expect(await git(repo, ['for-each-ref'])).toBe('')
    expect(await git(repo, ['count-objects'])).toMatch(/^0 objects/)
    await expectClean(repo)
  })

  it('moves other refs in place of the one pushed to', async () => {
    const { repo, work } = await setUp()
    const tip = await commit(work, 'a')
    server.policy = {
      preReceive: (push) =>
        Promise.resolve({
          verdicts: push.commands.map((command) => ({
            ok: true as const,
            instead: [{ ref: 'refs/pull/7/head', oldOid: command.oldOid, newOid: command.newOid }],
          })),
        }),
    }
    const { code, stderr } = await tryGit(work, ['push', 'origin', 'HEAD:refs/for/main/topic'])
    expect(code).toBe(0)
    expect(stderr).toContain('refs/pull/7/head')
    expect(await git(repo, ['for-each-ref', '--format=%(objectname) %(refname)'])).toBe(`${tip} refs/pull/7/head`)
  })

  it.each(['refs/pull/1/head', 'refs/ingot/x'])('may not touch %s', async (ref) => {
    const { repo, work } = await setUp()
    await commit(work, 'a')
    const { code, stderr } = await tryGit(work, ['push', 'origin', `main:${ref}`])
    expect(code).not.toBe(0)
    expect(stderr).toContain(`hook declined to update ${ref}`)
    expect(await git(repo, ['for-each-ref'])).toBe('')
    await expectClean(repo)
  })

  it('is refused with the reason when it is too large, and leaves nothing', async () => {
    const { repo, work } = await setUp()
    server.maxPackBytes = 100_000
    await commit(work, 'big', randomBytes(3_000_000))
    const { code, stderr } = await tryGit(work, ['-c', 'http.postBuffer=65536', 'push', 'origin', 'main'])
    expect(code).not.toBe(0)
    expect(stderr).toMatch(/maximum allowed size/)
    expect(await git(repo, ['count-objects'])).toMatch(/^0 objects/)
    await expectClean(repo)
  })

  it('is refused with the reason when the server does not accept its request', async () => {
    const { repo, work } = await setUp()
    await commit(work, 'a')
    const options = Array.from({ length: 101 }, (_, index) => ['-o', `x=${index}`]).flat()
    const { code, stderr } = await tryGit(work, ['push', ...options, 'origin', 'main'])
    expect(code).not.toBe(0)
    expect(stderr).toMatch(/^remote: too many push options\n\S/)
    expect(await git(repo, ['for-each-ref'])).toBe('')
  })

  it('lands whole when ten clients push to one repo at once', async () => {
    const { repo, work } = await setUp()
    await commit(work, 'base')
    await git(work, ['push', '-q', 'origin', 'main'])
    const url = await git(work, ['remote', 'get-url', 'origin'])
    const tips = await Promise.all(
      Array.from({ length: 10 }, async (_, i) => {
        const clone = `${work}-${i}`
        await git(dir.path, ['clone', '-q', url, clone])
        const tip = await commit(clone, `file${i}`)
        await git(clone, ['push', '-q', 'origin', `HEAD:refs/heads/branch${i}`])
        return tip
      }),
    )
    for (const [i, tip] of tips.entries()) expect(await git(repo, ['rev-parse', `branch${i}`])).toBe(tip)
    await expectClean(repo)
  })

  it('is refused with the reason when the ref has moved', async () => {
    const { repo, work } = await setUp()
    const first = await commit(work, 'a')
    await git(work, ['push', '-q', 'origin', 'main'])
    await commit(work, 'b')
    server.policy = {
      async preReceive(push) {
        await git(repo, ['update-ref', '-d', 'refs/heads/main', first])
        return allowAll.preReceive(push)
      },
    }
    const { code, stderr } = await tryGit(work, ['push', 'origin', 'main'])
    expect(code).not.toBe(0)
    expect(stderr).toContain('[remote rejected]')
  })

  it('names the database when the policy cannot reach it, but no other fault', async () => {
    const { work } = await setUp()
    await commit(work, 'a')
    const reasons: string[] = []
    for (const error of [unavailable('the database cannot be reached'), new Error('secret detail')]) {
      server.policy = { preReceive: () => Promise.reject(error) }
      reasons.push((await tryGit(work, ['push', 'origin', 'main'])).stderr)
    }
    expect(reasons[0]).toContain('(the database cannot be reached, try again)')
    expect(reasons[1]).toContain('(internal server error)')
  })
})

function refuse(ref: string, reason: string) {
  return {
    preReceive: (push: IncomingPush) =>
      Promise.resolve({
        verdicts: push.commands.map((command) =>
          command.ref === ref ? { ok: false as const, reason } : { ok: true as const },
        ),
      }),
  }
}
