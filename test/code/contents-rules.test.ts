import { describe, expect, it } from 'vitest'
import { codeRepo, oracle, useCodeWorld, type CodeWorld } from './code-world.ts'

const base64 = (text: string): string => Buffer.from(text).toString('base64')

describe.each(['sha1', 'sha256'] as const)('rules of contents in a %s repository', (format) => {
  let { server, ann, code } = {} as CodeWorld
  useCodeWorld(format, (world) => void ({ server, ann, code } = world))

  it.each([
    '/contents//src/a.ts',
    '/contents/src//a.ts',
    '/contents/src/a.ts/',
    '/contents/src/a.ts',
    '/contents/src%2Fa.ts',
  ])('%s finds the file by its plain path', async (path) => {
    const { json } = await server.anonymous.get(code.path + path)
    expect(json).toMatchObject({ name: 'a.ts', path: 'src/a.ts', content: 'YTIK' })
    expect(json.url.endsWith('/contents/src/a.ts?ref=main')).toBe(true)
    expect(json.download_url.endsWith('/raw/branch/main/src/a.ts')).toBe(true)
  })

  it('several files are found by plain paths, and nothing is found above the root', async () => {
    const { json } = await ann.client.post(`${code.path}/file-contents`, {
      files: ['/src//a.ts', './src/a.ts', '../src/a.ts', 'src/../src/a.ts', '', '.'],
    })
    expect(json.map((entry: { path: string } | null) => entry?.path)).toEqual([
      'src/a.ts',
      'src/a.ts',
      undefined,
      undefined,
      undefined,
      undefined,
    ])
  })

  // It takes seconds, and does not depend on the format.
  const itOnce = format === 'sha1' ? it : undefined
  itOnce?.('many large files are answered one by one, in no more memory than one takes', async () => {
    const big = await codeRepo(server, ann, { name: `big-${format}`, format })
    const size = 9 * 1024 * 1024
    const files = Array.from({ length: 9 }, (_, index) => `f${index}`)
    const blobs = files.map((_, index) =>
      oracle(big.git.path, ['hash-object', '-w', '--stdin'], Buffer.alloc(size, 65 + index)),
    )
    const tree = oracle(
      big.git.path,
      ['mktree'],
      files.map((name, index) => `100644 blob ${blobs[index]}\t${name}\n`).join(''),
    )
    oracle(big.git.path, ['update-ref', 'refs/heads/main', oracle(big.git.path, ['commit-tree', '-m', 'big', tree])])
    const { json, headers } = await ann.client.post(`${big.path}/file-contents`, {
      files: [...files.slice(0, 2), 'none', 'f2'],
    })
    expect(headers.get('content-type')).toBe('application/json;charset=utf-8')
    expect(
      json.map(
        (entry: { path: string; content: string } | null) =>
          entry && [entry.path, entry.content.slice(0, 4), entry.content.length],
      ),
    ).toEqual([['f0', 'QUFB', (size / 3) * 4], ['f1', 'QkJC', (size / 3) * 4], null, ['f2', 'Q0ND', (size / 3) * 4]])
    expect((await ann.client.post(`${big.path}/file-contents`, { files: [...files, ...files] })).json).toHaveLength(11)
  })

  it('the query form of several files matches member names case-insensitively', async () => {
    const asked = async (body: string) =>
      server.anonymous.get(`${code.path}/file-contents?body=${encodeURIComponent(body)}`)
    expect((await asked('{"Files":["src/a.ts"]}')).json).toMatchObject([{ path: 'src/a.ts' }])
    expect(await asked('{"files":null}')).toMatchObject({ status: 422, json: { message: '[Files]: Required' } })
    expect(await asked('{"files":"src/a.ts"}')).toMatchObject({
      status: 400,
      json: { message: 'invalid body parameter' },
    })
  })

  it('the zero date of typed clients means the current time', async () => {
    const zero = '0001-01-01T00:00:00Z'
    const before = Math.floor(Date.now() / 1000)
    const made = await ann.client.post(`${code.path}/contents/zero`, {
      content: base64('x'),
      dates: { author: zero, committer: zero },
    })
    expect(made.status).toBe(201)
    for (const at of ['%at', '%ct'])
      expect(Number(oracle(code.git.path, ['log', '-1', `--format=${at}`, 'main']))).toBeGreaterThanOrEqual(before)
  })

  it.each(['', '1969-12-31T23:59:59Z', '0000-01-01T00:00:00Z', '2021-02-29T00:00:00Z', 'yesterday'])(
    'a commit cannot have the date %s',
    async (date) => {
      const before = code.oid('main')
      for (const dates of [{ author: date }, { committer: date }])
        expect((await ann.client.post(`${code.path}/contents/dated`, { content: '', dates })).status).toBe(422)
      expect(code.oid('main')).toBe(before)
    },
  )

  it('dates at the ends of the calendar are preserved', async () => {
    const dates = { author: '1970-01-01T00:00:00Z', committer: '9999-12-31T23:59:59Z' }
    const { json } = await ann.client.post(`${code.path}/contents/ends`, { content: '', dates })
    expect(json.commit).toMatchObject({ author: { date: dates.author }, committer: { date: dates.committer } })
    expect((await ann.client.get(`${code.path}/git/commits/main`)).json.commit).toMatchObject({
      author: { date: dates.author },
      committer: { date: dates.committer },
    })
    expect(oracle(code.git.path, ['fsck', '--strict'])).not.toMatch(/error|missing|broken/)
  })

  it('commits with other encodings and odd times are returned as UTF-8 with valid timestamps', async () => {
    const tree = code.oid('main^{tree}')
    const store = (text: string): string =>
      oracle(
        code.git.path,
        ['hash-object', '-t', 'commit', '-w', '--stdin', '--literally'],
        Buffer.from(text, 'latin1'),
      )
    const latin = store(
      `tree ${tree}\nauthor J\u00f6rg <j@example.test> 1700000000 +9999\ncommitter J\u00f6rg <j@example.test> 1700000000 -2400\nencoding ISO-8859-1\n\nGr\u00fc\u00dfe\n`,
    )
    oracle(code.git.path, ['update-ref', 'refs/heads/latin', latin])
    const { json } = await server.anonymous.get(`${code.path}/git/commits/latin`)
    const date = '2023-11-14T22:13:20Z'
    expect(json.commit).toMatchObject({
      message: 'Grüße\n',
      author: { name: 'Jörg', date },
      committer: { name: 'Jörg', date },
    })
    expect(json.created).toBe(date)
  })

  it('a diff can be read from a branch with a slash in its name', async () => {
    expect(
      (await ann.client.post(`${code.path}/branches`, { new_branch_name: 'feat/x', old_branch_name: 'main' })).status,
    ).toBe(201)
    const diff = await server.anonymous.get(`${code.path}/git/commits/feat%2Fx.diff`)
    expect(diff.status).toBe(200)
    expect(diff.text).toBe((await server.anonymous.get(`${code.path}/git/commits/${code.oid('main')}.diff`)).text)
  })

  it('a tag whose name has another tag as a folder is rejected by name', async () => {
    expect((await ann.client.post(`${code.path}/tags`, { tag_name: 'rel/1' })).status).toBe(201)
    for (const name of ['rel', 'rel/1/a'])
      expect(await ann.client.post(`${code.path}/tags`, { tag_name: name })).toMatchObject({
        status: 409,
        json: { message: `a tag clashes with the name [name: ${name}]` },
      })
  })
})
