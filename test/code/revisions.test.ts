import { beforeAll, describe, expect, it } from 'vitest'
import { script } from '../core/git/fixture.ts'
import { git, tempDir, tryGit } from '../core/git/wire/client.ts'
import { PASSWORD } from '../harness/world.ts'
import { codeRepo, oracle, useCodeWorld, type CodeRepo, type CodeWorld } from './code-world.ts'

const ROOT = 1
const MAIN = 2
const BRANCH = 3
const TAG = 4
/** Each commit has a file that contains its number. */
const HISTORY = script(
  [ROOT, MAIN, BRANCH, TAG].map((number) => ({
    branch: ['root', 'main', 'both', 'tagged'][number - 1]!,
    ...(number > 1 && { from: ':1' }),
    files: { which: String(number) },
  })),
)

describe.each(['sha1', 'sha256'] as const)('names of revisions in a %s repository', (format) => {
  let { server, ann } = {} as CodeWorld
  let code: CodeRepo
  useCodeWorld(format, (world) => void ({ server, ann } = world))

  /** `both` is a branch and a tag; the id of `main` is a branch and a tag too, as an import may create them. */
  beforeAll(async () => {
    code = await codeRepo(server, ann, { name: 'names', format, history: HISTORY })
    const id = code.oid('main')
    for (const [ref, target] of [
      ['refs/tags/both', 'tagged'],
      [`refs/heads/${id}`, 'both'],
      [`refs/tags/${id}`, 'tagged'],
    ] as const)
      oracle(code.git.path, ['update-ref', ref, code.oid(target)])
    await server.app.pushes.reconcile(code.repo.id)
  })

  /** The commit in the responses of all URLs that accept the name of a revision. */
  async function answersOf(name: string): Promise<Record<string, unknown>> {
    const get = (path: string) => server.anonymous.get(code.path + path)
    const fileOf = (text: string) => code.oid(['root', 'main', 'refs/heads/both', 'tagged'][Number(text) - 1]!)
    const contents = (await get(`/contents/which?ref=${name}`)).json.content
    const [listed] = (await get(`/file-contents?ref=${name}&body={"files":["which"]}`)).json
    const archive = await fetch(`${server.url}/api/v1${code.path}/archive/${name}.zip`)
    const status = await ann.client.post(`${code.path}/statuses/${name}`, { state: 'success', context: 'c' })
    return {
      contents: fileOf(Buffer.from(contents, 'base64').toString()),
      files: fileOf(Buffer.from(listed.content, 'base64').toString()),
      raw: fileOf((await get(`/raw/which?ref=${name}`)).text),
      'raw path': fileOf((await get(`/raw/${name}/which`)).text),
      media: fileOf((await get(`/media/which?ref=${name}`)).text),
      web: fileOf(await (await fetch(`${server.url}/ann/names/raw/${name}/which`)).text()),
      commits: (await get(`/commits?sha=${name}`)).json[0].sha,
      commit: (await get(`/commits/${name}`)).json.sha,
      'git commit': (await get(`/git/commits/${name}`)).json.sha,
      suffix: (await get(`/git/trees/${name}%5E0`)).json.sha,
      tree: (await get(`/git/trees/${name}`)).json.sha,
      compare: (await get(`/compare/root...${name}`)).json.commits[0].sha,
      'compare suffix': (await get(`/compare/root...${name}~0`)).json.commits[0].sha,
      status: (await get(`/commits/${name}/status`)).json.sha,
      'new status': status.json.url.split('/').at(-1),
      archive: Buffer.from(await archive.arrayBuffer())
        .subarray(-code.git.zeroOid.length)
        .toString(),
    }
  }

  const everywhere = (answers: Record<string, unknown>, oid: string) =>
    expect(answers).toEqual(Object.fromEntries(Object.keys(answers).map((address) => [address, oid])))

  it('mean a commit by its full id, even if a branch or tag has that name', async () => {
    const id = code.oid('main')
    everywhere(await answersOf(id), id)
    expect((await fetch(`${server.url}/ann/names/raw/${id}/which`)).url).toContain(`/raw/commit/${id}/`)
  })

  it('mean a branch before a tag, and by a full name the ref of that name', async () => {
    const branch = code.oid('refs/heads/both')
    everywhere(await answersOf('both'), branch)
    const tag = await server.anonymous.get(`${code.path}/git/commits/refs%2Ftags%2Fboth`)
    expect(tag.json.sha).toBe(code.oid('refs/tags/both'))
    const made = await ann.client.post(`${code.path}/tags`, { tag_name: 'of-both', target: 'both' })
    expect(made.json.commit.sha).toBe(branch)
    expect((await ann.client.get(`${code.path}/tags/both`)).json.archive_download_count).toEqual({ zip: 0, tar_gz: 0 })
  })

  it('cannot be created if they look like an object id', async () => {
    const names = ['a'.repeat(40), 'B'.repeat(40), '0123456789abcdef'.repeat(4)]
    for (const name of names) {
      const answers = await Promise.all([
        ann.client.post(`${code.path}/branches`, { new_branch_name: name }),
        ann.client.patch(`${code.path}/branches/tagged`, { name }),
        ann.client.post(`${code.path}/tags`, { tag_name: name }),
        ann.client.post(`${code.path}/releases`, { tag_name: name }),
        ann.client.post(`${code.path}/releases`, { tag_name: name, draft: true }),
        ann.client.post(`${code.path}/contents/new`, { content: 'eA==', new_branch: name }),
        ann.client.post('/user/repos', { name: 'named', default_branch: name, auto_init: true }),
      ])
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 422))
    }
    const dir = tempDir()
    await git(dir.path, ['init', '-q', `--object-format=${format}`, dir.path])
    await git(dir.path, ['commit', '-q', '--allow-empty', '-m', 'one'])
    const remote = `http://ann:${encodeURIComponent(PASSWORD)}@${server.url.slice('http://'.length)}/ann/names.git`
    for (const ref of names.flatMap((name) => [`refs/heads/${name}`, `refs/tags/${name}`])) {
      const { code: exit, stderr } = await tryGit(dir.path, ['push', '-q', remote, `HEAD:${ref}`])
      expect([exit, stderr.includes(`${ref} has a name that looks like an object id`)]).toEqual([1, true])
    }
    dir.remove()
  })

  it('that look like an object id can still be deleted, also by push', async () => {
    const id = code.oid('main')
    expect((await ann.client.delete(`${code.path}/branches/${id}`)).status).toBe(204)
    const dir = tempDir()
    await git(dir.path, ['init', '-q', `--object-format=${format}`, dir.path])
    const remote = `http://ann:${encodeURIComponent(PASSWORD)}@${server.url.slice('http://'.length)}/ann/names.git`
    expect(await tryGit(dir.path, ['push', '-q', remote, `:refs/tags/${id}`])).toMatchObject({ code: 0 })
    dir.remove()
    expect((await ann.client.get(`${code.path}/git/refs`)).json.map((ref: { ref: string }) => ref.ref)).not.toContain(
      `refs/tags/${id}`,
    )
  })
})
