import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startServer, type TestServer } from '../harness/server.ts'
import type { Person } from '../harness/world.ts'
import { codeRepo, oracle, SMALL, type CodeRepo } from './code-world.ts'

let server: TestServer
let ann: Person
let code: CodeRepo

beforeAll(async () => {
  server = await startServer({
    settings: { 'git.identity_name': 'The Forge', 'git.identity_email': 'forge@example.test' },
  })
  ann = await server.world.user('ann')
  code = await codeRepo(server, ann, { name: 'code', history: SMALL })
})
afterAll(() => server.close())

const list = async (query = '') => ann.client.get(`${code.path}/tags${query}`)
const names = async (query = '') => (await list(query)).json.map((tag: { name: string }) => tag.name)

describe('tags', () => {
  it('are listed newest first and in pages, if they point to a commit', async () => {
    const annotated = Array.from({ length: 60 }, (_, at) => {
      const when = 1_600_000_000 + ((at * 37) % 60) * 1000
      return `tag gen/${at}\nfrom refs/heads/main\ntagger T <t@example.test> ${when} +0000\ndata 2\nx\n`
    })
    oracle(code.git.path, ['fast-import', '--quiet', '--force'], annotated.join(''))
    oracle(code.git.path, ['update-ref', 'refs/tags/tree', code.oid('main^{tree}')])
    oracle(code.git.path, [
      'update-ref',
      'refs/tags/nested',
      oracle(
        code.git.path,
        ['mktag'],
        `object ${code.oid('gen/0')}\ntype tag\ntag nested\ntagger T <t@example.test> 1 +0000\n\nx\n`,
      ),
    ])
    const expected = oracle(code.git.path, [
      'for-each-ref',
      '--sort=refname',
      '--sort=-creatordate',
      '--format=%(refname:lstrip=2)',
      'refs/tags',
    ])
      .split('\n')
      .filter((name) => name !== 'tree')
    const pages = [
      ...(await names('?limit=25')),
      ...(await names('?limit=25&page=2')),
      ...(await names('?limit=25&page=3')),
    ]
    expect(pages).toEqual(expected)
    expect((await list('?limit=1')).headers.get('x-total-count')).toBe(String(expected.length))
    expect(pages.at(-1)).toBe('nested')
    expect((await ann.client.get(`${code.path}/tags/nested`)).json.commit.sha).toBe(code.oid('main'))
    expect((await ann.client.get(`${code.path}/tags/tree`)).status).toBe(404)
  })

  it('are listed correctly after every change', async () => {
    await ann.client.post(`${code.path}/tags`, { tag_name: 'fresh', message: 'now' })
    expect((await names('?limit=1'))[0]).toBe('fresh')
    await ann.client.delete(`${code.path}/tags/fresh`)
    expect(await names('?limit=50')).not.toContain('fresh')
    const empty = await codeRepo(server, ann, { name: 'empty' })
    expect((await ann.client.get(`${empty.path}/tags`)).json).toEqual([])
    expect((await ann.client.post(`${empty.path}/tags`, { tag_name: 'x' })).status).toBe(404)
  })

  it('name the server as their tagger', async () => {
    const { json } = await ann.client.post(`${code.path}/tags`, { tag_name: 'signed-off', message: ' by the server ' })
    expect(json.commit).toMatchObject({
      sha: code.oid('main'),
      url: `${server.url}/api/v1${code.path}/git/commits/${code.oid('refs/tags/signed-off')}`,
    })
    const tag = (await ann.client.get(`${code.path}/git/tags/${json.id}`)).json
    expect(tag).toMatchObject({
      tag: 'signed-off',
      message: 'by the server\n',
      tagger: { name: 'The Forge', email: 'forge@example.test' },
    })
  })

  it('cannot have the name of a release, even of a draft, and concurrent duplicates are rejected', async () => {
    expect((await ann.client.post(`${code.path}/releases`, { tag_name: 'Soon', draft: true })).status).toBe(201)
    expect(await ann.client.post(`${code.path}/tags`, { tag_name: 'soon' })).toMatchObject({
      status: 409,
      json: { message: 'tag already exists [name: soon]' },
    })
    expect(await ann.client.delete(`${code.path}/tags/Soon`)).toMatchObject({
      status: 409,
      json: { message: 'a tag attached to a release cannot be deleted directly' },
    })
    const [draft] = (await ann.client.get(`${code.path}/releases`)).json
    expect((await ann.client.patch(`${code.path}/releases/${draft.id}`, { draft: false })).status).toBe(200)
    expect((await ann.client.get(`${code.path}/tags/Soon`)).status).toBe(200)
    const race = await Promise.all([1, 2, 3].map(() => ann.client.post(`${code.path}/tags`, { tag_name: 'race' })))
    expect(race.map((answer) => answer.status).toSorted((a, b) => a - b)).toEqual([201, 409, 409])
  })

  it('with a protected name cannot be created as tags or as releases', async () => {
    const bob = await server.world.user('bob')
    await ann.client.put(`${code.path}/collaborators/bob`, { permission: 'write' })
    await ann.client.post(`${code.path}/tag_protections`, { name_pattern: 'v*', whitelist_usernames: ['ann'] })
    expect(await bob.client.post(`${code.path}/releases`, { tag_name: 'v9' })).toMatchObject({
      status: 422,
      json: { message: 'release tag name is protected [tag_name: v9]' },
    })
    expect((await bob.client.post(`${code.path}/tags`, { tag_name: 'v9' })).status).toBe(422)
    expect((await ann.client.post(`${code.path}/releases`, { tag_name: 'v9' })).status).toBe(201)
  })
})
