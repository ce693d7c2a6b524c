import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { git, tryGit, type GitResult } from '../core/git/wire/client.ts'
import { PASSWORD, type Person } from '../harness/world.ts'
import { startSshFixture, type SshFixture, type SshKey } from '../transports/git-ssh/fixture.ts'

/** Everyday work with the real client over both transports, in every version of the protocol. */

let ssh: SshFixture
let ann: Person
let key: SshKey
let count = 0

beforeAll(async () => {
  ssh = await startSshFixture()
  ann = await ssh.server.world.user('ann')
  key = await ssh.keyOf(ann)
})
afterAll(() => ssh.close())

const TRANSPORTS = ['http', 'ssh'] as const
const VERSIONS = ['0', '1', '2'] as const
const COMBINATIONS = TRANSPORTS.flatMap((transport) => VERSIONS.map((version) => [transport, version] as const))

function client(transport: (typeof TRANSPORTS)[number], version: (typeof VERSIONS)[number]) {
  const env = ssh.env(key)
  const options = ['-c', `protocol.version=${version}`]
  return {
    url: (name: string): string =>
      transport === 'ssh'
        ? ssh.url(`ann/${name}.git`)
        : `${ssh.server.url.replace('//', `//ann:${encodeURIComponent(PASSWORD)}@`)}/ann/${name}.git`,
    git: (cwd: string, ...args: string[]): Promise<string> => git(cwd, [...options, ...args], { env }),
    tryGit: (cwd: string, ...args: string[]): Promise<GitResult> => tryGit(cwd, [...options, ...args], { env }),
    folder: (): string => join(ssh.dir, `s${count++}`),
  }
}

/** Input of fast-import. */
function storyOf(name: string, commits: number): string {
  const data = (text: string): string => `data ${Buffer.byteLength(text)}\n${text}\n`
  const parts = Array.from({ length: commits }, (_, index) => {
    const number = index + 1
    const files = ['src', 'docs'].map(
      (folder) => `M 100644 inline ${folder}/f${number}\n${data(`${folder} ${number} ${name}\n`.repeat(20))}`,
    )
    const committer = `committer Tester <tester@example.com> ${1_700_000_000 + number * 60} +0000`
    return ['commit refs/heads/main', `mark :${number}`, committer, `${data(`c${number}\n`)}${files.join('')}`].join(
      '\n',
    )
  })
  return `${parts.join('')}reset refs/tags/v2\nfrom :${Math.max(1, commits - 2)}\n\n`
}

/** A repository of commits `c1` to `c<commits>`, a minute apart, each with a file in `src` and one in `docs`. */
async function repoWith(commits: number): Promise<string> {
  const name = `story${count++}`
  await ssh.server.world.repo({ owner: ann, name, defaultBranch: 'main' })
  const work = join(ssh.dir, `${name}-work.git`)
  await git(ssh.dir, ['init', '-q', '--bare', '-b', 'main', work])
  await git(work, ['fast-import', '--quiet'], { input: storyOf(name, commits) })
  await git(work, [
    'push',
    '-q',
    `${ssh.server.url.replace('//', `//ann:${encodeURIComponent(PASSWORD)}@`)}/ann/${name}.git`,
    'main',
    'v2',
  ])
  return name
}

const subjects = async (path: string, rev = 'HEAD'): Promise<string[]> =>
  (await git(path, ['log', '--format=%s', rev])).split('\n')
const missing = async (path: string): Promise<number> =>
  (await git(path, ['rev-list', '--objects', '--missing=print', 'HEAD']))
    .split('\n')
    .filter((line) => line.startsWith('?')).length

describe.each(COMBINATIONS)('over %s, protocol version %s', (transport, version) => {
  it('a shallow clone is deepened by number, by date and by tag, and made whole', async () => {
    const { url, git: run, folder } = client(transport, version)
    const name = await repoWith(6)
    const shallow = folder()
    await run(ssh.dir, 'clone', '-q', '--depth=1', url(name), shallow)
    expect(await subjects(shallow)).toEqual(['c6'])
    await run(shallow, 'fetch', '-q', '--deepen=1')
    expect(await subjects(shallow)).toEqual(['c6', 'c5'])
    await run(shallow, 'fetch', '-q', `--shallow-since=${1_700_000_000 + 4 * 60} +0000`)
    expect(await subjects(shallow)).toEqual(['c6', 'c5', 'c4'])
    const since = folder()
    await run(ssh.dir, 'clone', '-q', '--shallow-exclude=v2', url(name), since)
    expect(await subjects(since)).toEqual(['c6', 'c5'])
    await run(shallow, 'fetch', '-q', '--unshallow')
    expect(await subjects(shallow)).toEqual(['c6', 'c5', 'c4', 'c3', 'c2', 'c1'])
    await run(shallow, 'fsck', '--strict')
    await run(since, 'commit', '-q', '--allow-empty', '-m', 'from a shallow clone')
    await run(since, 'push', '-q', 'origin', 'HEAD:main')
    await run(shallow, 'fetch', '-q')
    expect((await subjects(shallow, 'origin/main')).slice(0, 2)).toEqual(['from a shallow clone', 'c6'])
  })

  it('a partial and sparse clone fetches only the files that it reads', async () => {
    const { url, git: run, folder } = client(transport, version)
    const name = await repoWith(4)
    const sparse = folder()
    await run(ssh.dir, 'clone', '-q', '--filter=blob:none', '--sparse', url(name), sparse)
    const before = await missing(sparse)
    expect(before).toBe(8)
    await run(sparse, 'sparse-checkout', 'set', 'src')
    expect(readFileSync(join(sparse, 'src', 'f1'), 'utf8')).toBe(`src 1 ${name}\n`.repeat(20))
    expect(await missing(sparse)).toBe(before - 4)
    expect(await run(sparse, 'show', 'HEAD~3:docs/f1')).toContain(`docs 1 ${name}`)
    expect(await missing(sparse)).toBe(before - 5)
    writeFileSync(join(sparse, 'src', 'f9'), 'new\n')
    await run(sparse, 'add', '.')
    await run(sparse, 'commit', '-qm', 'from a sparse clone')
    await run(sparse, 'push', '-q')

    const treeless = folder()
    await run(ssh.dir, 'clone', '-q', '--no-checkout', '--filter=tree:0', url(name), treeless)
    expect((await subjects(treeless)).slice(0, 2)).toEqual(['from a sparse clone', 'c4'])
    expect(await run(treeless, 'show', 'HEAD:src/f9')).toBe('new')
    await run(treeless, 'checkout', '-q')
    expect(readFileSync(join(treeless, 'docs', 'f4'), 'utf8')).toContain('docs 4')
  })

  it('a clone fetches submodules by relative URLs', async () => {
    const { url, git: run, folder } = client(transport, version)
    const [outer, inner] = [await repoWith(1), await repoWith(2)]
    const work = folder()
    await run(ssh.dir, 'clone', '-q', url(outer), work)
    await run(work, 'submodule', '--quiet', 'add', `../${inner}.git`, 'deps/inner')
    await run(work, 'commit', '-qm', 'with a submodule')
    await run(work, 'push', '-q')
    const clone = folder()
    await run(ssh.dir, 'clone', '-q', '--recurse-submodules', '--shallow-submodules', url(outer), clone)
    expect(await subjects(join(clone, 'deps', 'inner'))).toHaveLength(1)
    expect(readFileSync(join(clone, 'deps', 'inner', 'src', 'f2'), 'utf8')).toContain(`src 2 ${inner}`)
    const { json } = await ssh.server.anonymous.get(`/repos/ann/${outer}/contents/deps/inner`)
    expect(json).toMatchObject({
      type: 'submodule',
      submodule_git_url: `../${inner}.git`,
      sha: await git(join(clone, 'deps', 'inner'), ['rev-parse', 'HEAD']),
    })
  })

  it('a push with a lease keeps concurrent pushes', async () => {
    const { url, git: run, tryGit: attempt, folder } = client(transport, version)
    const name = await repoWith(2)
    const [one, two] = [folder(), folder()]
    for (const to of [one, two]) await run(ssh.dir, 'clone', '-q', url(name), to)
    await run(one, 'commit', '-q', '--amend', '-m', 'amended by one')
    await run(one, 'push', '-q', '--force-with-lease')
    await run(two, 'commit', '-q', '--amend', '-m', 'amended by two')
    const stale = await attempt(two, 'push', '--force-with-lease')
    expect([stale.code, stale.stderr]).toEqual([1, expect.stringContaining('stale info')])
    await run(two, 'fetch', '-q')
    expect(await subjects(two, 'origin/main')).toEqual(['amended by one', 'c1'])
    await run(two, 'push', '-q', '--force-with-lease')
    expect(await subjects(two, 'origin/main')).toEqual(['amended by two', 'c1'])
  })
})

describe.each(TRANSPORTS)('over %s', (transport) => {
  it('of concurrent forced updates of one branch one wins and the others are refused', async () => {
    const { url, git: run, tryGit: attempt, folder } = client(transport, '2')
    const name = await repoWith(2)
    const clones = await Promise.all(
      Array.from({ length: 6 }, async (_, index) => {
        const to = folder()
        await run(ssh.dir, 'clone', '-q', url(name), to)
        await run(to, 'commit', '-q', '--amend', '-m', `by ${index}`)
        return to
      }),
    )
    const old = await git(clones[0]!, ['rev-parse', 'origin/main'])
    const results = await Promise.all(
      clones.map((to) => attempt(to, 'push', `--force-with-lease=main:${old}`, 'origin', 'HEAD:main')),
    )
    const winners = results.flatMap(({ code }, index) => (code === 0 ? [index] : []))
    expect(winners).toHaveLength(1)
    for (const { code, stderr } of results)
      if (code !== 0) expect(stderr).toMatch(/stale info|the ref has moved|the ref is locked/)
    expect((await ssh.server.anonymous.get(`/repos/ann/${name}/git/commits/main`)).json.commit.message).toBe(
      `by ${winners[0]}\n`,
    )
    expect((await ssh.server.anonymous.get(`/repos/ann/${name}/branches/main`)).json.commit.message).toBe(
      `by ${winners[0]}\n`,
    )
  })
})
