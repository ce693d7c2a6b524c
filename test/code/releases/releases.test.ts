import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Client } from '../../harness/client.ts'
import { expectEvents, lastEventId, rows } from '../../harness/expect.ts'
import { startServer, type TestServer } from '../../harness/server.ts'
import type { Person } from '../../harness/world.ts'
import { codeRepo, oracle, SMALL, type CodeRepo } from '../code-world.ts'

describe('releases', () => {
  let server: TestServer
  let ann: Person
  let bob: Person
  let code: CodeRepo
  let path: string

  beforeAll(async () => {
    server = await startServer()
    ann = await server.world.user('ann')
    bob = await server.world.user('bob')
    code = await codeRepo(server, ann, { name: 'code', history: SMALL })
    path = `${code.path}/releases`
  })
  afterAll(() => server.close())

  const make = (body: object, client: Client = ann.client) => client.post(path, body)
  const counter = async () => (await server.anonymous.get(code.path)).json.release_counter

  it('are writable by writers only, and hidden with the repository', async () => {
    const secret = await codeRepo(server, ann, { name: 'secret', history: SMALL, isPrivate: true })
    const { json } = await ann.client.post(`${secret.path}/releases`, { tag_name: 'v1' })
    const calls = [
      ['post', '', { tag_name: 'x' }],
      ['patch', `/${json.id}`, { name: 'x' }],
      ['delete', `/${json.id}`, undefined],
      ['delete', '/tags/v1', undefined],
    ] as const
    for (const [method, suffix, body] of calls) {
      expect((await server.anonymous[method](path + suffix, body)).status).toBe(401)
      expect((await bob.client[method](path + suffix, body)).status).toBe(403)
      expect((await bob.client[method](`${secret.path}/releases${suffix}`, body)).status).toBe(404)
    }
    for (const suffix of ['', '/latest', `/${json.id}`, '/tags/v1', `/${json.id}/assets`])
      expect((await bob.client.get(`${secret.path}/releases${suffix}`)).status, suffix).toBe(404)
    expect((await server.anonymous.get(`${path}/${json.id}`)).status).toBe(404)
    const reader = await ann.withToken('read:repository')
    expect((await reader.post(path, { tag_name: 'x' })).status).toBe(403)
  })

  it('create their tag at the target, append events, and are counted', async () => {
    const made = await make({ tag_name: 'rel/1', target_commitish: 'topic', name: 'One', body: '# notes' })
    expect(made).toMatchObject({
      status: 201,
      json: { tag_name: 'rel/1', target_commitish: 'topic', html_url: `${server.url}/ann/code/releases/tag/rel/1` },
    })
    expect(code.oid('refs/tags/rel/1')).toBe(code.oid('topic'))
    const annotated = await make({ tag_name: 'rel/2', tag_message: 'Two' })
    expect([annotated.json.target_commitish, oracle(code.git.path, ['cat-file', '-t', 'refs/tags/rel/2'])]).toEqual([
      'main',
      'tag',
    ])
    const kept = await make({ tag_name: 'v1', target_commitish: '' })
    expect([kept.status, kept.json.target_commitish]).toEqual([201, ''])
    expect(await counter()).toBe(3)
    const pushed = await rows(server, 'push', { repo_id: code.repo.id })
    expect(pushed.filter(({ ref }) => ref.startsWith('refs/tags/rel/'))).toHaveLength(2)
    expect((await server.anonymous.get(`${path}/tags/rel/1`)).json.id).toBe(made.json.id)
    expect((await server.anonymous.get(`${path}/tags/light`)).status).toBe(404)
  })

  it('refuse invalid input', async () => {
    const empty = await codeRepo(server, ann, { name: 'empty' })
    expect((await ann.client.post(`${empty.path}/releases`, { tag_name: 'v1' })).status).toBe(422)
    await make({ tag_name: 'Used' })
    expect((await make({ tag_name: 'USED' })).status).toBe(409)
    expect((await make({ tag_name: 'a..b' })).json.message).toBe('[TagName]: GitRefName')
    const untargeted = await make({ tag_name: 'x', target_commitish: 'none' })
    expect([untargeted.status, untargeted.headers.get('x-ingot-message')]).toEqual([
      404,
      'target "none" not found: no such commit',
    ])
    expect((await make({})).json.message).toBe('[TagName]: Required')
    await ann.client.patch(empty.path, { archived: true })
    expect((await ann.client.post(`${empty.path}/releases`, { tag_name: 'v1' })).status).toBe(423)
  })

  it('are hidden as drafts, and get their tag when published', async () => {
    const before = await lastEventId(server)
    const draft = (await make({ tag_name: 'soon', draft: true, name: 'x'.repeat(300) })).json
    expect([draft.name.length, (await ann.client.get(`${code.path}/tags/soon`)).status]).toEqual([255, 404])
    const reader = await ann.withToken('read:repository')
    for (const client of [server.anonymous, bob.client, reader]) {
      expect((await client.get(`${path}/${draft.id}`)).status).toBe(404)
      expect((await client.get(`${path}/tags/soon`)).status).toBe(404)
      expect((await client.get(`${path}?draft=true`)).json).toEqual([])
    }
    expect((await ann.client.get(`${path}?draft=true`)).json.map((release: { id: number }) => release.id)).toEqual([
      draft.id,
    ])
    const count = await counter()
    await expectEvents(server, { repoId: code.repo.id, after: before }, [])
    expect(
      (await ann.client.patch(`${path}/${draft.id}`, { draft: false, name: '', prerelease: true })).json,
    ).toMatchObject({ draft: false, name: draft.name, prerelease: true })
    expect([code.oid('refs/tags/soon'), await counter()]).toEqual([code.oid('main'), count + 1])
    expect((await server.anonymous.get(`${path}?pre-release=true&limit=1`)).json[0].id).toBe(draft.id)
    expect((await server.anonymous.get(`${path}/latest`)).json.id).not.toBe(draft.id)
    expect((await make({ tag_name: 'taken' })).status).toBe(201)
    expect((await ann.client.patch(`${path}/${draft.id}`, { tag_name: 'taken' })).status).toBe(409)
    expect(
      (await rows(server, 'event'))
        .filter(({ id, kind }) => id > before && kind.startsWith('release.'))
        .map(({ kind }) => kind),
    ).toEqual(['release.published', 'release.published'])
  })

  it('are searched by part of their texts, with paging', async () => {
    for (const tag_name of ['page-1', 'page-2', 'page-3']) await make({ tag_name })
    await make({ tag_name: 'find-me', name: 'Needle_100%', body: 'hay' })
    for (const q of ['FIND-ME', 'needle_100%25', 'HAY'])
      expect(
        (await server.anonymous.get(`${path}?q=${q}`)).json.map((release: { tag_name: string }) => release.tag_name),
        q,
      ).toEqual(['find-me'])
    expect((await server.anonymous.get(`${path}?q=needleX`)).json).toEqual([])
    const page = await server.anonymous.get(`${path}?limit=2&page=2`)
    expect([
      page.json.length,
      Number(page.headers.get('x-total-count')),
      page.headers.get('link')?.includes('rel="first"'),
    ]).toEqual([2, await counter(), true])
  })

  it('prevent deletion of their tag by the API, and become drafts when a push deletes it', async () => {
    const { json } = await make({ tag_name: 'gone' })
    expect((await ann.client.delete(`${code.path}/tags/gone`)).status).toBe(409)
    const count = await counter()
    const oid = code.oid('refs/tags/gone')
    const target = await server.app.repos.getInView({ ...(await viewer()) }, 'ann', 'code')
    await server.app.pushes.push(await viewer(), target, [
      { ref: 'refs/tags/gone', oldOid: oid, newOid: code.git.zeroOid },
    ])
    await server.drain()
    expect((await server.anonymous.get(`${path}/${json.id}`)).status).toBe(404)
    expect([(await ann.client.get(`${path}/${json.id}`)).json.draft, await counter()]).toEqual([true, count - 1])
  })

  it('cannot be deleted by accounts that a tag protection excludes', async () => {
    const cat = await server.world.user('cat')
    await ann.client.put(`${code.path}/collaborators/cat`, { permission: 'write' })
    const kept = (await make({ tag_name: 'safe-1' })).json
    expect(
      (await ann.client.post(`${code.path}/tag_protections`, { name_pattern: 'safe-*', whitelist_usernames: ['ann'] }))
        .status,
    ).toBe(201)
    expect((await make({ tag_name: 'safe-2' }, cat.client)).json.message).toBe(
      'release tag name is protected [tag_name: safe-2]',
    )
    expect((await cat.client.delete(`${path}/${kept.id}`)).json.message).toBe(
      'user not allowed to delete protected tag',
    )
    expect((await cat.client.delete(`${path}/tags/safe-1`)).status).toBe(422)
    expect((await ann.client.delete(`${path}/${kept.id}`)).status).toBe(204)
  })

  it('are deleted without their tag', async () => {
    const { json } = await make({ tag_name: 'bye' })
    const count = await counter()
    expect((await ann.client.delete(`${path}/${json.id}`)).status).toBe(204)
    expect((await ann.client.delete(`${path}/${json.id}`)).status).toBe(404)
    expect([await counter(), code.oid('refs/tags/bye')]).toEqual([count - 1, code.oid('main')])
    expect((await ann.client.delete(`${path}/tags/bye`)).status).toBe(404)
  })

  it('are one per tag, also for concurrent requests', async () => {
    const answers = await Promise.all(Array.from({ length: 4 }, () => make({ tag_name: 'race' })))
    expect(answers.map((answer) => answer.status).toSorted((a, b) => a - b)).toEqual([201, 409, 409, 409])
  })

  async function viewer() {
    const { viewerOf } = await import('../../harness/world.ts')
    return viewerOf(ann.user)
  }
})
