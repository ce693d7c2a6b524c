import { describe, expect, it } from 'vitest'
import { codeRepo, oracle, SMALL, useCodeWorld, type CodeWorld } from './code-world.ts'

describe.each(['sha1', 'sha256'] as const)('reading a %s repository', (format) => {
  let { server, ann, code } = {} as CodeWorld
  useCodeWorld(format, (world) => void ({ server, ann, code } = world))

  it('hides a private repository from users without access', async () => {
    const secret = await codeRepo(server, ann, { name: 'secret', format, history: SMALL, isPrivate: true })
    const bob = await server.world.user('bob')
    for (const path of [
      '/branches',
      '/commits',
      '/contents',
      '/git/refs',
      '/git/trees/main',
      '/raw/src/a.ts',
      '/git/commits/main',
    ]) {
      expect((await bob.client.get(secret.path + path)).status, path).toBe(404)
      expect((await server.anonymous.get(secret.path + path)).status, path).toBe(404)
    }
  })

  it('lists branches by the age of their tips', async () => {
    const { json, headers } = await server.anonymous.get(`${code.path}/branches`)
    expect(json.map((branch: { name: string }) => branch.name)).toEqual(['main', 'topic'])
    expect(headers.get('x-total-count')).toBe('2')
    expect(json[0]).toMatchObject({
      commit: { id: code.oid('main'), author: { name: 'Ann', username: '' }, timestamp: '2023-11-15T00:17:20+02:00' },
      user_can_push: false,
    })
    expect((await ann.client.get(`${code.path}/branches/main`)).json.user_can_push).toBe(true)
    const found = await server.anonymous.get(`${code.path}/branches?q=OPI`)
    expect([found.json.map((branch: { name: string }) => branch.name), found.headers.get('x-total-count')]).toEqual([
      ['topic'],
      '1',
    ])
    expect((await server.anonymous.get(`${code.path}/branches?q=nothing`)).json).toEqual([])
    expect((await ann.client.get(`${code.path}/branches/nothing`)).status).toBe(404)
  })

  it('lists commits as git log does', async () => {
    const { json, headers } = await server.anonymous.get(`${code.path}/commits?limit=2&page=2`)
    expect(json.map((commit: { sha: string }) => commit.sha)).toEqual(
      oracle(code.git.path, ['log', '--format=%H', '--skip=2', '-2', 'main']).split('\n'),
    )
    expect([headers.get('x-total'), headers.get('x-hasmore'), headers.get('x-pagecount')]).toEqual(['5', 'true', '3'])
    const touched = await server.anonymous.get(`${code.path}/commits?path=src/a.ts`)
    expect(touched.json).toHaveLength(2)
    expect(touched.json[0]).toMatchObject({
      files: [{ filename: 'src/a.ts', status: 'modified' }],
      stats: { total: 2, additions: 1, deletions: 1 },
    })
    expect((await server.anonymous.get(`${code.path}/commits?path=no`)).status).toBe(404)
    expect((await server.anonymous.get(`${code.path}/commits?since=soon`)).status).toBe(422)
    expect((await server.anonymous.get(`${code.path}/commits?page=99`)).json).toEqual([])
  })

  it('finds one commit by any name', async () => {
    expect((await server.anonymous.get(`${code.path}/git/commits/main`)).json.commit.tree.sha).toBe(code.oid('main'))
    for (const name of ['main', 'HEAD', code.oid('main'), code.oid('main').slice(0, 8)]) {
      expect((await server.anonymous.get(`${code.path}/git/commits/${name}`)).json.sha, name).toBe(code.oid('main'))
    }
    for (const name of ['main', 'HEAD', 'refs/heads/main', 'refs%2Fheads%2Fmain']) {
      expect((await server.anonymous.get(`${code.path}/commits/${name}`)).json.sha, name).toBe(code.oid('main'))
    }
    expect((await server.anonymous.get(`${code.path}/git/commits/a..b`)).status).toBe(422)
    expect((await server.anonymous.get(`${code.path}/git/commits/none`)).status).toBe(404)
    const patch = await server.anonymous.get(`${code.path}/git/commits/v1.patch`)
    expect(patch.text).toBe(`${oracle(code.git.path, ['format-patch', '--stdout', '--binary', '-1', 'v1'])}\n\n`)
  })

  it('shows the account of an email address', async () => {
    const writer = await server.world.user(`writer-${format}`, { email: 'ann@example.com' })
    const { json } = await server.anonymous.get(`${code.path}/git/commits/main`)
    expect(json.author).toMatchObject({ login: writer.name, active: false, last_login: '0001-01-01T00:00:00Z' })
    expect(json.committer).toBeNull()
  })

  it('reads files and directories with their last commits', async () => {
    const root = await server.anonymous.get(`${code.path}/contents`)
    expect(root.json.find((entry: { name: string }) => entry.name === 'src').git_url).toBe(
      `${server.url}/api/v1${code.path}/git/blobs/${code.oid('main:src')}`,
    )
    expect(
      root.json.map((entry: { name: string; last_commit_sha: string }) => [entry.name, entry.last_commit_sha]),
    ).toEqual([
      ['docs', oracle(code.git.path, ['log', '-1', '--format=%H', 'main', '--', 'docs'])],
      ['src', code.oid('main')],
    ])
    for (const query of ['?ref=v1', '?branch=main', '']) {
      const { json } = await server.anonymous.get(`${code.path}/contents/src/a.ts${query}`)
      expect(json).toMatchObject({
        type: 'file',
        encoding: 'base64',
        content: 'YTIK',
        size: 3,
        last_commit_sha: code.oid('v1^{commit}'),
      })
    }
    for (const path of [
      '/contents/none',
      '/contents/src/a.ts/x',
      '/contents?ref=refs/heads/main',
      '/contents?ref=none',
      '/contents-ext/none',
    ]) {
      expect((await server.anonymous.get(code.path + path)).status, path).toBe(404)
    }
    const many = await server.anonymous.post(`${code.path}/file-contents`, { files: ['src/a.ts', 'none'] })
    expect(many.json.map((entry: { path: string } | null) => entry?.path)).toEqual(['src/a.ts', undefined])
  })

  it('pages through a recursive tree', async () => {
    const all = await server.anonymous.get(`${code.path}/git/trees/main?recursive=1`)
    expect(all.json.tree.map((entry: { path: string }) => entry.path)).toEqual(
      oracle(code.git.path, ['ls-tree', '-r', '-t', '--name-only', 'main']).split('\n'),
    )
    const page = await server.anonymous.get(`${code.path}/git/trees/main?recursive=true&per_page=2&page=2`)
    expect(page.json).toMatchObject({ sha: code.oid('main'), truncated: true, page: 2, total_count: 6 })
    expect((await server.anonymous.get(`${code.path}/git/trees/none`)).status).toBe(400)
  })

  it('reads several blobs at once, in the order of their ids', async () => {
    const [other, source] = [code.oid('main~2:src/a.ts'), code.oid('main:src/a.ts')]
    const { status, json } = await server.anonymous.get(`${code.path}/git/blobs?shas=${source},${other}`)
    expect([status, json.map((blob: { sha: string }) => blob.sha)]).toEqual([200, [source, other]])
    expect(Buffer.from(json[1].content, 'base64').toString()).toBe(`${oracle(code.git.path, ['show', other])}\n`)
    for (const shas of [',', 'zzz', `${other},${code.oid('main')}`, Array(101).fill(other).join()])
      expect((await server.anonymous.get(`${code.path}/git/blobs?shas=${shas}`)).status).toBe(400)
    expect((await server.anonymous.get(`${code.path}/git/blobs`)).status).toBe(422)
  })

  it('sets and removes notes as pushes of the writer', async () => {
    const note = `${code.path}/git/notes/topic`
    const bob = await server.world.user('note-reader')
    expect((await server.anonymous.post(note, { message: 'x' })).status).toBe(401)
    expect((await bob.client.post(note, { message: 'x' })).status).toBe(403)
    expect((await ann.client.post(note, {})).status).toBe(422)
    const set = await ann.client.post(note, { message: 'first' })
    expect([set.status, set.json.message, set.json.commit.commit.author.name]).toEqual([200, 'first', 'ann'])
    expect((await ann.client.post(note, { message: 'second' })).json.message).toBe('second')
    expect(oracle(code.git.path, ['notes', 'show', 'topic'])).toBe('second')
    expect((await server.anonymous.get(note)).json.message).toBe('second')
    expect((await ann.client.delete(note)).status).toBe(204)
    expect((await ann.client.delete(note)).status).toBe(404)
    expect((await ann.client.post(`${code.path}/git/notes/nothing`, { message: 'x' })).status).toBe(404)
    expect((await ann.client.post(`${code.path}/git/notes/main~1`, { message: 'x' })).status).toBe(422)
    await ann.client.patch(code.path, { archived: true })
    expect((await ann.client.post(note, { message: 'late' })).status).toBe(423)
    await ann.client.patch(code.path, { archived: false })
  })

  it('reads refs, blobs, tags and notes', async () => {
    const blob = code.oid('main:src/a.ts')
    expect((await server.anonymous.get(`${code.path}/git/blobs/${blob}`)).json).toMatchObject({
      content: 'YTIK',
      size: 3,
    })
    for (const bad of ['main', blob.slice(0, 8), code.oid('main'), '0'.repeat(40), '0'.repeat(64)])
      expect((await server.anonymous.get(`${code.path}/git/blobs/${bad}`)).status).toBe(400)
    const refs = await server.anonymous.get(`${code.path}/git/refs/tags`)
    expect(refs.json.map((ref: { ref: string; object: { type: string } }) => [ref.ref, ref.object.type])).toEqual([
      ['refs/tags/light', 'commit'],
      ['refs/tags/v1', 'tag'],
    ])
    expect((await server.anonymous.get(`${code.path}/git/refs/heads/none`)).status).toBe(404)
    expect((await server.anonymous.get(`${code.path}/git/tags/${code.oid('v1')}`)).json).toMatchObject({
      tag: 'v1',
      tagger: { date: '2023-11-14T22:21:40Z' },
      object: { sha: code.oid('v1^{commit}') },
    })
    expect((await server.anonymous.get(`${code.path}/git/tags/v1`)).status).toBe(400)
    expect((await server.anonymous.get(`${code.path}/git/notes/main`)).status).toBe(404)
    oracle(code.git.path, ['notes', 'add', '-m', 'well done', 'main'])
    expect((await server.anonymous.get(`${code.path}/git/notes/main`)).json).toMatchObject({
      message: 'well done\n',
      commit: { sha: code.oid('refs/notes/commits') },
    })
  })

  it('serves raw files with validators and ranges', async () => {
    const file = await server.anonymous.get(`${code.path}/raw/src/a.ts`)
    expect(file.text).toBe('a2\n')
    expect(file.headers.get('content-length')).toBe('3')
    const etag = file.headers.get('etag')!
    expect((await server.anonymous.get(`${code.path}/raw/src/a.ts`, { 'if-none-match': etag })).status).toBe(304)
    const part = await server.anonymous.get(`${code.path}/raw/v1/README.md`, { range: 'bytes=1-2' })
    expect([part.status, part.text, part.headers.get('content-range')]).toEqual([206, 'el', 'bytes 1-2/6'])
    expect((await server.anonymous.get(`${code.path}/raw/v1/README.md`, { range: 'bytes=9-' })).status).toBe(416)
    const other = { range: 'bytes=1-2', 'if-range': etag }
    expect((await server.anonymous.get(`${code.path}/raw/v1/README.md`, other)).text).toBe('hello\n')
    expect((await server.anonymous.get(`${code.path}/raw/src`)).status).toBe(404)
  })

  it('never fails on an empty repository', async () => {
    const empty = await codeRepo(server, ann, { name: 'empty', format })
    const expected: Record<string, number> = {
      '/branches': 200,
      '/branches/main': 404,
      '/commits': 200,
      '/commits?sha=main&path=a': 200,
      '/commits/main': 404,
      '/git/commits/HEAD': 404,
      '/git/commits/main.diff': 404,
      '/git/refs': 404,
      '/git/refs/heads/main': 404,
      '/git/trees/main': 404,
      '/git/trees/HEAD': 404,
      [`/git/blobs/${'1'.repeat(format === 'sha1' ? 40 : 64)}`]: 404,
      [`/git/tags/${'1'.repeat(format === 'sha1' ? 40 : 64)}`]: 404,
      '/git/tags/v1': 404,
      '/git/notes/main': 404,
      '/contents': 404,
      '/contents/a': 404,
      '/contents-ext': 404,
      '/file-contents?body={"files":["a"]}': 404,
      '/raw/a': 404,
      '/media/a': 404,
    }
    for (const [path, status] of Object.entries(expected))
      expect((await server.anonymous.get(empty.path + path)).status, path).toBe(status)
    const { json, headers } = await server.anonymous.get(`${empty.path}/commits`)
    expect([json, headers.get('x-total-count'), headers.get('x-hasmore')]).toEqual([[], '0', 'false'])
  })
})
