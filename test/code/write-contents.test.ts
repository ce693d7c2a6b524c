import { describe, expect, it } from 'vitest'
import { updateRepo } from '../../src/domains/repositories/repos/repo.store.ts'
import { codeRepo, oracle, SMALL, useCodeWorld, type CodeWorld } from './code-world.ts'

const base64 = (text: string): string => Buffer.from(text).toString('base64')

describe.each(['sha1', 'sha256'] as const)('writing files of a %s repository', (format) => {
  let { server, ann, code } = {} as CodeWorld
  useCodeWorld(format, (world) => void ({ server, ann, code } = world))

  it('rejects requests without write access', async () => {
    const secret = await codeRepo(server, ann, { name: 'secret', format, history: SMALL, isPrivate: true })
    const bob = await server.world.user('bob')
    const body = { content: base64('x\n') }
    expect((await server.anonymous.post(`${code.path}/contents/x`, body)).status).toBe(401)
    expect(await bob.client.post(`${code.path}/contents/x`, body)).toMatchObject({
      status: 403,
      json: { message: 'user should have a permission to write to the target branch' },
    })
    expect((await bob.client.post(`${secret.path}/contents/x`, body)).status).toBe(404)
    expect((await (await ann.withToken('read:repository')).post(`${code.path}/contents/x`, body)).status).toBe(403)
    await server.app.database.transaction((tx) => updateRepo(tx, secret.repo.id, { is_archived: 1 }))
    expect(await ann.client.post(`${secret.path}/contents/x`, body)).toMatchObject({
      status: 423,
      json: { message: 'ann/secret is not allowed to edit' },
    })
    expect((await server.anonymous.post(`${secret.path}/contents/x`, body)).status).toBe(404)
    await server.app.database.transaction((tx) => updateRepo(tx, secret.repo.id, { is_private: 0 }))
    for (const client of [server.anonymous, bob.client])
      expect((await client.post(`${secret.path}/contents/x`, body)).status).toBe(423)
    await server.app.database.transaction((tx) => updateRepo(tx, secret.repo.id, { is_archived: 0, is_mirror: 1 }))
    const writes = [
      ['post', '/contents/x', body],
      ['put', '/contents/x', body],
      ['delete', '/contents/x', { sha: 'x' }],
      ['post', '/contents', { files: [] }],
      ['post', '/diffpatch', { content: 'x' }],
    ] as const
    for (const client of [server.anonymous, bob.client, ann.client]) {
      for (const [method, path, sent] of writes)
        expect(await client[method](secret.path + path, sent), path).toMatchObject({
          status: 423,
          json: { message: 'ann/secret is not allowed to edit' },
        })
    }
  })

  it('creates, changes, moves and deletes a file', async () => {
    const author = { name: 'Una', email: 'una@example.test' }
    const dates = { author: '2024-03-02T11:30:00+02:00', committer: '2024-03-02T12:00:00Z' }
    const made = await ann.client.post(`${code.path}/contents/new/a.txt`, {
      content: base64('one\n'),
      author,
      dates,
      signoff: true,
    })
    expect(made.status).toBe(201)
    expect(made.json).toMatchObject({
      content: { path: 'new/a.txt', content: base64('one\n'), sha: code.oid('main:new/a.txt') },
      commit: { sha: code.oid('main'), tree: { sha: code.oid('main^{tree}') }, parents: [{ sha: code.oid('main~1') }] },
    })
    expect(oracle(code.git.path, ['log', '-1', '--format=%an <%ae> %aI%n%B', 'main']).trim()).toBe(
      'Una <una@example.test> 2024-03-02T11:30:00+02:00\nAdd new/a.txt\n\nSigned-off-by: Una <una@example.test>',
    )
    const moved = await ann.client.put(`${code.path}/contents/b.txt`, {
      content: base64('two\n'),
      sha: made.json.content.sha,
      from_path: 'new/a.txt',
    })
    expect(moved.status).toBe(200)
    expect(oracle(code.git.path, ['ls-tree', '-r', '--name-only', 'main']).split('\n')).not.toContain('new/a.txt')
    const gone = await ann.client.delete(`${code.path}/contents/b.txt`, {
      sha: moved.json.content.sha,
      new_branch: 'without',
    })
    expect(gone).toMatchObject({
      status: 200,
      json: { content: null, commit: { message: 'Delete b.txt\n', sha: code.oid('without') } },
    })
    expect((await ann.client.put(`${code.path}/contents/put.txt`, { content: '' })).status).toBe(201)
    expect(oracle(code.git.path, ['fsck', '--strict'])).not.toMatch(/error|missing|broken/)
  })

  it('rejects requests with the messages that clients expect', async () => {
    const sha = code.oid('main:src/a.ts')
    const other = code.oid('main')
    const content = base64('x')
    const cases: [string, string, Record<string, unknown>, number, string][] = [
      ['POST', 'x', { content: 'not base64!' }, 422, 'illegal base64 data at input byte 3'],
      ['POST', 'x', { content, branch: 'nowhere' }, 404, ''],
      ['POST', 'x', { content, new_branch: 'topic' }, 422, 'branch already exists [name: topic]'],
      ['POST', 'x', { content, new_branch: 'a..b' }, 422, '[NewBranch]: GitRefName'],
      ['POST', 'src/a.ts', { content }, 422, 'repository file already exists [path: src/a.ts]'],
      ['PUT', 'src/a.ts', { content }, 422, 'repository file already exists [path: src/a.ts]'],
      ['PUT', 'src/a.ts', { content, sha: other }, 422, `sha does not match [given: ${other}, expected: ${sha}]`],
      ['PUT', 'none', { content, sha }, 404, ''],
      ['DELETE', 'none', { sha }, 404, ''],
      ['DELETE', 'src/a.ts', {}, 422, '[SHA]: Required'],
      ['DELETE', 'src', { sha }, 422, 'a directory exists where you’re trying to create a file [path: src]'],
      ['POST', 'src', { content }, 422, 'a directory exists where you’re trying to create a file [path: src]'],
      [
        'POST',
        'src/a.ts/x/y',
        { content },
        422,
        'a file exists where you’re trying to create a subdirectory [path: src/a.ts]',
      ],
      ['POST', 'x/.GIT/config', { content }, 422, 'path contains a malformed path component [path: x/.GIT/config]'],
    ]
    for (const [method, path, body, status, message] of cases) {
      const answer = await ann.client[method.toLowerCase() as 'post'](`${code.path}/contents/${path}`, body)
      expect([answer.status, answer.json.message ?? ''], `${method} ${path}`).toEqual([status, message])
    }
    expect(
      (await ann.client.post(`${code.path}/contents`, { files: [{ operation: 'chmod', path: 'x' }] })).status,
    ).toBe(422)
    expect(
      (await ann.client.post(`${code.path}/contents`, { files: [{ operation: 'create', path: '../x' }] })).status,
    ).toBe(422)
    expect((await ann.client.post(`${code.path}/contents`, {})).json.message).toBe('[Files]: Required')
    expect(code.oid('main')).toBe(other)
  })

  it('changes several files in one commit', async () => {
    const before = code.oid('main')
    const files = [
      { operation: 'create', path: 'm/1', content: base64('1') },
      { operation: 'upload', path: 'src/a.ts', content: base64('a3') },
      { operation: 'rename', path: 'm/2', from_path: 'm/1' },
      { operation: 'delete', path: 'docs/guide.md' },
    ]
    const paths = oracle(code.git.path, ['ls-tree', '-r', '--name-only', 'main']).split('\n')
    const known = files.filter(({ operation, path }) => operation !== 'delete' || paths.includes(path))
    const { status, json } = await ann.client.post(`${code.path}/contents`, { files: known })
    expect(status).toBe(201)
    expect(json.commit.parents[0].sha).toBe(before)
    expect(json.files[2]).toMatchObject({ path: 'm/2', content: base64('1') })
    expect((await ann.client.post(`${code.path}/contents`, { files: [], message: 'nothing' })).json.files).toEqual([])
    expect(code.oid('main^{tree}')).toBe(code.oid('main~1^{tree}'))
  })

  it('loses no changes in concurrent writes', async () => {
    const made = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        ann.client.post(`${code.path}/contents/many/${index}`, { content: base64(`${index}`) }),
      ),
    )
    expect(made.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 201))
    expect(oracle(code.git.path, ['ls-tree', '--name-only', 'main:many']).split('\n')).toHaveLength(8)
    expect(await server.app.pushes.reconcile(code.repo.id)).toBe(false)
  })

  it('starts at the default branch at the time of the write', async () => {
    const moving = await codeRepo(server, ann, { name: 'moving', format, history: SMALL })
    const { database, pushes, repos } = server.app
    const [{ getInView }, { recorded }] = [repos, pushes]
    const transaction = database.transaction.bind(database)
    const rename = async (from: string, name: string) =>
      expect((await ann.client.patch(`${moving.path}/branches/${from}`, { name })).status).toBe(204)
    const write = (path: string) => ann.client.post(`${moving.path}/contents/${path}`, { content: '' })
    const tip = async (branch: string) =>
      (await ann.client.get(`${moving.path}/branches/${branch}`)).json.commit.id as string

    // Renamed after the repository of the request was looked up.
    Object.assign(repos, {
      async getInView(...args: Parameters<typeof getInView>) {
        Object.assign(repos, { getInView })
        const found = await getInView(...args)
        await rename('main', 'trunk')
        return found
      },
    })
    const late = await write('late')
    expect(late.status, late.text).toBe(201)
    expect(late.json.commit.sha).toBe(await tip('trunk'))

    // Written while the ref has its new name and the row still has the old one.
    let between: ReturnType<typeof write> | undefined
    Object.assign(database, {
      async transaction(...args: Parameters<typeof transaction>) {
        Object.assign(database, { transaction })
        const waits = Promise.withResolvers<void>()
        Object.assign(pushes, {
          recorded: (id: typeof moving.repo.id) => (waits.resolve(), recorded(id)),
        })
        between = write('between')
        await Promise.race([between, waits.promise])
        return transaction(...args)
      },
    })
    await rename('trunk', 'next')
    Object.assign(pushes, { recorded })
    const answer = await between!
    expect(answer.status, answer.text).toBe(201)
    expect(answer.json.commit.sha).toBe(await tip('next'))
  })

  it('creates the first commit of an empty repository', async () => {
    const empty = await codeRepo(server, ann, { name: 'empty', format })
    expect((await ann.client.delete(`${empty.path}/contents/x`, { sha: 'x' })).status).toBe(404)
    expect(
      (await ann.client.post(`${empty.path}/contents/x`, { content: '', branch: 'trunk' })).json.commit.parents,
    ).toEqual([])
    expect((await ann.client.get(empty.path)).json).toMatchObject({ empty: false, default_branch: 'trunk' })
    expect(oracle(empty.git.path, ['symbolic-ref', 'HEAD'])).toBe('refs/heads/trunk')
  })
})
